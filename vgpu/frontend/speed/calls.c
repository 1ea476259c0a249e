/*
 * calls.c: which device functions may call which, by their names.
 *
 * A graph has the functions as nodes and, behind them, the names that they
 * have: a function leads to each name that its text has, and a name to all
 * functions of that name. So one that is named often and has many overloads
 * costs no more than its text is long.
 *
 * What each node leads to is found in one walk (Tarjan's): nodes that lead to
 * each other are a component, which is closed when all that it leads to is. The
 * walk keeps its way in the nodes, since a chain of calls may be as long as the
 * text.
 */
#include "parts.h"

#include <stdlib.h>
#include <string.h>

struct node {
    int next, end; /* its edges */
    int from;      /* the node that the walk came from, or -1 */
    int index;     /* the walk's step that came here; 0: none did */
    int low;       /* the first step of an open node that this leads to */
    bool open;     /* its component is not closed */
    unsigned shows;
};

struct graph {
    struct node *nodes;
    int *edges;
    int num_edges, capacity;
    int *open; /* nodes in the order of their steps */
    int num_open, steps;
};

/* ---- names --------------------------------------------------------------- */

/* The word of a function's name, 0 of none. */
static int word_at(const struct speed *s, int name)
{
    return name < 0 ? 0 : token(s->p, name)->word;
}

static const struct speed *sorted; /* qsort passes nothing on */

/* By name, those without one first. */
static int compare_functions(const void *a, const void *b)
{
    const struct device_function *x = a, *y = b;
    const int order = word_at(sorted, x->name) - word_at(sorted, y->name);

    return order ? order : x->begin - y->begin;
}

/* Of sorted functions, behind the last one that has the name of @n. */
static int name_end(const struct speed *s, int n)
{
    const int word = word_at(s, s->functions[n].name);

    while (n < s->num_functions && word_at(s, s->functions[n].name) == word)
        n++;
    return n;
}

/* The first function that is called as token @i is, or -1. */
static int first_named(const struct speed *s, int i)
{
    const int word = word_at(s, i);
    int low = 0, high = s->num_functions;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (word_at(s, s->functions[middle].name) < word)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->num_functions && word_at(s, s->functions[low].name) == word
               ? low
               : -1;
}

/* A declaration says nothing where there is a definition. */
static void drop_declared(struct speed *s)
{
    struct device_function *f = s->functions;

    for (int n = 0, end; n < s->num_functions; n = end) {
        bool defined = false;

        end = name_end(s, n);
        for (int k = n; k < end; k++)
            defined |= !f[k].declared;
        for (int k = n; k < end && defined; k++)
            f[k].shows &= f[k].declared ? 0 : ~0u;
    }
}

/* ---- the graph ----------------------------------------------------------- */

static void add_edge(struct graph *g, int node, int to)
{
    if (g->num_edges == g->capacity) {
        g->capacity = g->capacity ? 2 * g->capacity : 256;
        g->edges = buf_resize(g->edges, (size_t)g->capacity * sizeof *g->edges);
    }
    g->edges[g->num_edges++] = to;
    g->nodes[node].end = g->num_edges;
}

static void begin_edges(struct graph *g, int node)
{
    g->nodes[node].next = g->nodes[node].end = g->num_edges;
}

static void build(struct graph *g, const struct speed *s)
{
    const int count = s->num_functions;

    g->nodes = buf_alloc((size_t)(2 * count) * sizeof *g->nodes);
    g->open = buf_alloc((size_t)(2 * count) * sizeof *g->open);
    for (int n = 0; n < count; n++) {
        const struct device_function *f = &s->functions[n];

        g->nodes[n].shows = f->shows;
        begin_edges(g, n);
        for (int i = f->begin; i < f->end; i++) {
            const int to =
                is_name(s->p, i) && i != f->name ? first_named(s, i) : -1;

            if (to >= 0)
                add_edge(g, n, count + to);
        }
    }
    for (int n = 0, end; n < count; n = end) {
        end = name_end(s, n);
        begin_edges(g, count + n);
        for (int k = n; k < end; k++)
            add_edge(g, count + n, k);
    }
}

static void enter(struct graph *g, int node, int from)
{
    struct node *n = &g->nodes[node];

    n->from = from;
    n->index = n->low = ++g->steps;
    n->open = true;
    g->open[g->num_open++] = node;
}

/* All nodes that were opened since @node was: they lead to each other. */
static void close_component(struct graph *g, struct speed *s, int node)
{
    const bool cycle = g->open[g->num_open - 1] != node;
    unsigned shows = 0;
    int first = g->num_open;

    do
        shows |= g->nodes[g->open[--first]].shows;
    while (g->open[first] != node);
    for (int k = first; k < g->num_open; k++) {
        const int member = g->open[k];

        g->nodes[member].open = false;
        g->nodes[member].shows = shows;
        if (member >= s->num_functions)
            continue;
        s->functions[member].shows = shows;
        s->functions[member].recursive = cycle;
    }
    g->num_open = first;
}

/* What @to is known to lead to, @n leads to. */
static void take_over(struct node *n, const struct node *to)
{
    if (to->open && to->low < n->low)
        n->low = to->low;
    n->shows |= to->shows;
}

static void walk(struct graph *g, struct speed *s, int root)
{
    enter(g, root, -1);
    for (int at = root; at >= 0;) {
        struct node *n = &g->nodes[at];

        if (n->next < n->end) {
            const int to = g->edges[n->next++];

            if (g->nodes[to].index) {
                take_over(n, &g->nodes[to]);
                continue;
            }
            enter(g, to, at);
            at = to;
            continue;
        }
        if (n->low == n->index)
            close_component(g, s, at);
        at = n->from;
        if (at >= 0)
            take_over(&g->nodes[at], n);
    }
}

void calls_find(struct speed *s)
{
    struct graph g = {0};

    sorted = s;
    qsort(s->functions, (size_t)s->num_functions, sizeof *s->functions,
          compare_functions);
    drop_declared(s);
    build(&g, s);
    for (int n = 0; n < s->num_functions; n++)
        if (!g.nodes[n].index)
            walk(&g, s, n);
    free(g.nodes);
    free(g.edges);
    free(g.open);
}

/* The functions that @reached ones lead to are reached, too. */
void calls_reach(struct speed *s)
{
    struct device_function *f = s->functions;
    const int count = s->num_functions;
    struct graph g = {0};

    build(&g, s);
    for (int n = 0; n < count; n++)
        if (f[n].reached)
            enter(&g, n, -1);
    while (g.num_open) {
        const struct node *n = &g.nodes[g.open[--g.num_open]];

        if (g.open[g.num_open] < count)
            f[g.open[g.num_open]].reached = true;
        for (int e = n->next; e < n->end; e++)
            if (!g.nodes[g.edges[e]].index)
                enter(&g, g.edges[e], -1);
    }
    free(g.nodes);
    free(g.edges);
    free(g.open);
}
