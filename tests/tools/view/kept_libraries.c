/* Keeps libraries that a program has opened: for builds with sanitizers, whose search for leaks
   knows memory of OpenGL's drivers by the library alone that has allocated it. */
int dlclose(void *library);
int dlclose(void *library)
{
    (void)library;
    return 0;
}
