/* That the other units compile is what is tested. */
int main(void)
{
    return 0;
}
