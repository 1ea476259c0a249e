// Loops that OpenMP makes one of: nothing may stand between them. run.sh builds
// it with -fopenmp. And nvcc has a `return;` in main return 0.
#include <cstdio>
#include <vector>

int main(int argc, char **)
{
    const int n = 64;
    std::vector<int> cube(n * n * n);
    int sum = 0, odd = 0;
    auto quiet = [](int x) {
        if (x)
            return;
        puts("quiet");
    };

#pragma omp parallel for collapse(2)
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            cube[i * n + j] = i - j;
    }
#pragma omp parallel for collapse(3) schedule(static)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                cube[(i * n + j) * n + k] = i ^ j ^ k;
            }
        }
#pragma omp parallel for collapse(2) reduction(+ : sum, odd)
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++)
                sum += cube[(i * n + j) * n + k];
            odd += i & 1;
        }
    quiet(0);
    printf("%d %d\n", sum, odd);
    if (argc == 1)
        return;
    return 1;
}
