/* That the other units compile is what is tested. */
int main()
{
    return 0;
}
