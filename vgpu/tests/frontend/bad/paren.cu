//! exit 1
//! 5: error: vgpucc: the '\(' opened here is not closed before
int main()
{
    return (1 + 2;
}
