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
#include "parse.h"

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

/* By name, those without one first. */
static int compare_names(const struct parse *p, int a, int b)
{
    const struct lex_token *x, *y;
    int shorter, order;

    if (a < 0 || b < 0)
        return (a >= 0) - (b >= 0);
    x = &p->lex.tokens[a];
    y = &p->lex.tokens[b];
    shorter = x->length < y->length ? x->length : y->length;
    order = memcmp(x->text, y->text, (size_t)shorter);
    return order ? order : x->length - y->length;
}

static const struct parse *sorted; /* qsort passes nothing on */

static int compare_functions(const void *a, const void *b)
{
    const struct device_function *x = a, *y = b;
    int order = compare_names(sorted, x->name, y->name);

    return order ? order : x->begin - y->begin;
}

/* Of sorted functions, behind the last one that has the name of @n. */
static int name_end(const struct parse *p, int n)
{
    const int name = p->device_functions[n].name;

    while (n < p->num_device_functions &&
           !compare_names(p, p->device_functions[n].name, name))
        n++;
    return n;
}

/* The first function that is called as token @i is, or -1. */
static int first_named(const struct parse *p, int i)
{
    int low = 0, high = p->num_device_functions;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (compare_names(p, p->device_functions[middle].name, i) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->num_device_functions &&
                   !compare_names(p, p->device_functions[low].name, i)
               ? low
               : -1;
}

/* A declaration says nothing where there is a definition. */
static void drop_declared(struct parse *p)
{
    struct device_function *f = p->device_functions;

    for (int n = 0, end; n < p->num_device_functions; n = end) {
        bool defined = false;

        end = name_end(p, n);
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

static void build(struct graph *g, const struct parse *p)
{
    const int count = p->num_device_functions;

    g->nodes = buf_alloc((size_t)(2 * count) * sizeof *g->nodes);
    g->open = buf_alloc((size_t)(2 * count) * sizeof *g->open);
    for (int n = 0; n < count; n++) {
        const struct device_function *f = &p->device_functions[n];

        g->nodes[n].shows = f->shows;
        begin_edges(g, n);
        for (int i = f->begin; i < f->end; i++) {
            const int to =
                is_name(p, i) && i != f->name ? first_named(p, i) : -1;

            if (to >= 0)
                add_edge(g, n, count + to);
        }
    }
    for (int n = 0, end; n < count; n = end) {
        end = name_end(p, n);
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
static void close_component(struct graph *g, struct parse *p, int node)
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
        if (member >= p->num_device_functions)
            continue;
        p->device_functions[member].shows = shows;
        p->device_functions[member].recursive = cycle;
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

static void walk(struct graph *g, struct parse *p, int root)
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
            close_component(g, p, at);
        at = n->from;
        if (at >= 0)
            take_over(&g->nodes[at], n);
    }
}

void calls_find(struct parse *p)
{
    struct graph g = {0};

    sorted = p;
    qsort(p->device_functions, (size_t)p->num_device_functions,
          sizeof *p->device_functions, compare_functions);
    drop_declared(p);
    build(&g, p);
    for (int n = 0; n < p->num_device_functions; n++)
        if (!g.nodes[n].index)
            walk(&g, p, n);
    free(g.nodes);
    free(g.edges);
    free(g.open);
}

/* The functions that @reached ones lead to are reached, too. */
void calls_reach(struct parse *p)
{
    struct device_function *f = p->device_functions;
    const int count = p->num_device_functions;
    struct graph g = {0};

    build(&g, p);
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
