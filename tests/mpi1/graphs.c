/* SPDX-License-Identifier: BSD-3-Clause
   Graph topologies: making, asking, who is left out, and the shuffle-exchange network. */
#include "case.h"

static const int four_index[4] = {2, 3, 4, 6}, four_edges[6] = {1, 3, 0, 3, 0, 2};

static MPI_Comm graph_of(MPI_Comm comm, int nodes, const int index[], const int edges[],
                         int reorder) {
  MPI_Comm graph = MPI_COMM_NULL;
  MPI_Graph_create(comm, nodes, index, edges, reorder, &graph);
  return graph;
}

static void expect_neighbors(MPI_Comm graph, int rank, int n, const int expected[]) {
  int count = -1, neighbors[9];
  for (int i = 0; i < 9; i++) neighbors[i] = -9;
  MPI_Graph_neighbors_count(graph, rank, &count);
  CHECK_EQUAL(count, n);
  MPI_Graph_neighbors(graph, rank, n, neighbors);
  for (int i = 0; i < n; i++) CHECK_EQUAL(neighbors[i], expected[i]);
  for (int i = n; i < 9; i++) CHECK_EQUAL(neighbors[i], -9);
}

static void four_nodes(MPI_Comm comm) {
  MPI_Comm graph = graph_of(comm, 4, four_index, four_edges, 0), twin;
  int kind = 0, nodes = -1, edges = -1, index_got[5] = {-9, -9, -9, -9, -9};
  int edges_got[7] = {-9, -9, -9, -9, -9, -9, -9};
  CHECK_EQUAL(rank_in(graph), rank_in(comm));
  MPI_Comm_dup(graph, &twin);
  MPI_Comm_free(&graph);
  MPI_Topo_test(twin, &kind);
  CHECK_EQUAL(kind, MPI_GRAPH);
  MPI_Graphdims_get(twin, &nodes, &edges);
  CHECK(nodes == 4 && edges == 6);
  MPI_Graph_get(twin, 4, 6, index_got, edges_got);
  for (int i = 0; i < 4; i++) CHECK_EQUAL(index_got[i], four_index[i]);
  for (int i = 0; i < 6; i++) CHECK_EQUAL(edges_got[i], four_edges[i]);
  CHECK(index_got[4] == -9 && edges_got[6] == -9);
  expect_neighbors(twin, 0, 2, (int[]){1, 3});
  expect_neighbors(twin, 1, 1, (int[]){0});
  expect_neighbors(twin, 2, 1, (int[]){3});
  expect_neighbors(twin, 3, 2, (int[]){0, 2});
  MPI_Comm_free(&twin);
}

static void too_little_room(MPI_Comm comm) {
  MPI_Comm graph = graph_of(comm, 4, four_index, four_edges, 0);
  int index[4] = {-9, -9, -9, -9}, edges[6] = {-9, -9, -9, -9, -9, -9}, neighbors[2] = {-9, -9};
  returning(graph);
  MPI_Graph_get(graph, 2, 3, index, edges); /* an error or the first ones: never beyond the room */
  CHECK(index[2] == -9 && index[3] == -9 && edges[3] == -9);
  MPI_Graph_neighbors(graph, 3, 1, neighbors);
  CHECK_EQUAL(neighbors[1], -9);
  CHECK_CLASS(MPI_Graph_neighbors(graph, 4, 2, neighbors), MPI_ERR_RANK);
  CHECK_CLASS(MPI_Graph_neighbors_count(graph, -1, neighbors), MPI_ERR_RANK);
  MPI_Comm_free(&graph);
}

static void smaller_graph(MPI_Comm comm) {
  const int size = size_of(comm), index[2] = {1, 2}, edges[2] = {1, 0};
  int many[32];
  MPI_Comm graph = graph_of(comm, 2, index, edges, 0);
  CHECK_EQUAL(graph == MPI_COMM_NULL, rank_in(comm) >= 2);
  if (graph != MPI_COMM_NULL) CHECK(size_of(graph) == 2 && rank_in(graph) == rank_in(comm));
  if (graph != MPI_COMM_NULL) MPI_Comm_free(&graph);
  MPI_Graph_create(comm, 0, NULL, NULL, 0, &graph); /* an empty graph: for nobody */
  CHECK(graph == MPI_COMM_NULL);
  for (int i = 0; i <= size; i++) many[i] = 0;
  returning(comm);
  graph = comm;
  CHECK(MPI_Graph_create(comm, size + 1, many, NULL, 0, &graph) != MPI_SUCCESS);
  CHECK(MPI_Graph_create(comm, -1, many, NULL, 0, &graph) != MPI_SUCCESS);
  CHECK(MPI_Graph_create(comm, 2, (int[]){2, 1}, edges, 0, &graph) != MPI_SUCCESS);
  CHECK(MPI_Graph_create(comm, 2, index, (int[]){1, 2}, 0, &graph) != MPI_SUCCESS);
  CHECK(graph == comm);
}

/* Neighbours that stand twice, loops, and an edge in one direction only. */
static void loops_and_repeats(MPI_Comm comm) {
  const int index[3] = {4, 5, 5}, edges[5] = {0, 2, 2, 0, 2};
  MPI_Comm graph = graph_of(comm, 3, index, edges, 0);
  if (graph == MPI_COMM_NULL) return;
  expect_neighbors(graph, 0, 4, edges);
  expect_neighbors(graph, 1, 1, (int[]){2});
  expect_neighbors(graph, 2, 0, NULL);
  MPI_Comm_free(&graph);
}

static void reorder_and_map(MPI_Comm comm) {
  const int size = size_of(comm);
  int index[24], edges[24], mine, all = 0, rank = -9, keyval, flag = 1;
  void* value = NULL;
  for (int i = 0; i < size; i++) index[i] = i + 1, edges[i] = (i + 1) % size;
  MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &keyval, NULL);
  MPI_Attr_put(comm, keyval, &keyval);
  MPI_Comm graph = graph_of(comm, size, index, edges, 1);
  MPI_Attr_get(graph, keyval, &value, &flag);
  CHECK_EQUAL(flag, 0);
  mine = 1 << rank_in(graph);
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, comm);
  CHECK_EQUAL(all, (1 << size) - 1);
  expect_neighbors(graph, rank_in(graph), 1, &edges[rank_in(graph)]);
  MPI_Graph_map(comm, size, index, edges, &rank);
  mine = 1 << rank;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_BOR, comm);
  CHECK_EQUAL(all, (1 << size) - 1);
  MPI_Graph_map(comm, 1, (int[]){0}, NULL, &rank);
  mine = rank == MPI_UNDEFINED ? 1 : 100 * (1 + rank);
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, comm);
  CHECK_EQUAL(all, 100 + size - 1); /* one is node 0, the others are outside */
  MPI_Attr_delete(comm, keyval);
  MPI_Keyval_free(&keyval);
  MPI_Comm_free(&graph);
}

static void not_a_graph(MPI_Comm comm) {
  const int size = size_of(comm), none = 0;
  int number = -9, other = -9;
  MPI_Comm line;
  MPI_Cart_create(comm, 1, &size, &none, 0, &line);
  returning(line);
  returning(comm);
  CHECK_CLASS(MPI_Graphdims_get(line, &number, &other), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Graph_get(comm, 1, 1, &number, &other), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Graph_neighbors_count(line, 0, &number), MPI_ERR_TOPOLOGY);
  CHECK_CLASS(MPI_Graph_neighbors(comm, 0, 1, &number), MPI_ERR_TOPOLOGY);
  CHECK(number == -9 && other == -9);
  MPI_Comm_free(&line);
}

/* A constructor may wait for all, or not: nobody may count on either. Messages that cross it
 * arrive. */
static void crossing_messages(MPI_Comm comm) {
  const int rank = rank_in(comm), size = size_of(comm), none = 0;
  int got = -1;
  MPI_Comm line;
  MPI_Request request;
  MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 3, comm, &request);
  MPI_Cart_create(comm, 1, &size, &none, 0, &line);
  MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, comm, MPI_STATUS_IGNORE);
  CHECK_EQUAL(got, (rank + size - 1) % size);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Comm_free(&line);
}

enum { BITS = 3, NODES = 1 << BITS };

static int exchange_of(int node) {
  return node ^ 1;
}
static int shuffle_of(int node) {
  return ((node << 1) | (node >> (BITS - 1))) & (NODES - 1);
}
static int unshuffle_of(int node) {
  return (node >> 1) | ((node & 1) << (BITS - 1));
}

static void shuffle_exchange(MPI_Comm comm) {
  static const int table[NODES][3] = {{1, 0, 0}, {0, 2, 4}, {3, 4, 1}, {2, 6, 5},
                                      {5, 1, 2}, {4, 3, 6}, {7, 5, 3}, {6, 7, 7}};
  int index[NODES], edges[3 * NODES], neighbors[3];
  for (int k = 0; k < NODES; k++) {
    index[k] = 3 * (k + 1);
    edges[3 * k] = exchange_of(k), edges[3 * k + 1] = shuffle_of(k),
              edges[3 * k + 2] = unshuffle_of(k);
  }
  MPI_Comm net = graph_of(comm, NODES, index, edges, 0);
  const int rank = rank_in(net);
  int a = 100 + rank;
  for (int k = 0; k < NODES; k++) expect_neighbors(net, k, 3, table[k]);
  MPI_Graph_neighbors(net, rank, 3, neighbors);
  MPI_Sendrecv_replace(&a, 1, MPI_INT, neighbors[0], 0, neighbors[0], 0, net, MPI_STATUS_IGNORE);
  CHECK_EQUAL(a, 100 + exchange_of(rank));
  MPI_Sendrecv_replace(&a, 1, MPI_INT, neighbors[1], 0, neighbors[2], 0, net, MPI_STATUS_IGNORE);
  CHECK_EQUAL(a, 100 + exchange_of(unshuffle_of(rank)));
  MPI_Sendrecv_replace(&a, 1, MPI_INT, neighbors[2], 0, neighbors[1], 0, net, MPI_STATUS_IGNORE);
  CHECK_EQUAL(a, 100 + exchange_of(rank)); /* the shuffle is undone, the exchange is not */
  MPI_Comm_free(&net);
}

static const Case cases[] = {
    {"req 6.2.11, req 6.2.13, req 6.2.15, req 6.2.1, ex 6.4",
     "a graph of four nodes and what it answers", 4, four_nodes},
    {"req 6.2.6", "no answer goes beyond the room given", 4, too_little_room},
    {"req 6.2.14, req 6.2.4",
     "a smaller graph leaves processes out, a larger or wrong one is an error", 2, smaller_graph},
    {"req 6.2.14, req errata 2.27", "a smaller graph leaves processes out of five", 5,
     smaller_graph},
    {"req 6.2.12, req errata 2.28", "loops, repeated neighbours and one-way edges keep their order",
     3, loops_and_repeats},
    {"req 6.2.10, req 6.2.14", "reordering is a permutation; maps leave out who is outside", 5,
     reorder_and_map},
    {"req 6.2.15", "a communicator without graph is an error", ANY, not_a_graph},
    {"req 6.2.16", "a constructor neither needs nor disturbs what crosses it", ANY,
     crossing_messages},
    {"ex 6.5, req 6.2.12", "three exchanges along a shuffle-exchange network", 8, shuffle_exchange},
};

int main(int argc, char** argv) {
  return run_cases(argc, argv, cases, sizeof cases / sizeof cases[0]);
}
