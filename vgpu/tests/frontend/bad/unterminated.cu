//! exit 1
//! 5: 
int main()
{
    const char *s = "abc;
    return 0;
}
