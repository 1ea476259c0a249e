/* 01_status.cu: a program that fails. */
int main(void)
{
    return 3;
}
