/* 01_compile.cu: a program that does not compile. */
int main(void)
{
    return no_such_name;
}
