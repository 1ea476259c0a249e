//! exit 1
//! 6: error: vgpucc: '}' does not close the '\(' that line 5 opens
int main()
{
    return (1 + 2;
}
