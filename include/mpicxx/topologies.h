// SPDX-License-Identifier: BSD-3-Clause
// Written by tools/bindings/generate_cxx from cxx/functions.txt; do not edit.
#ifndef MPICXX_TOPOLOGIES_H
#define MPICXX_TOPOLOGIES_H

#include "window_classes.h"

namespace MPI {

inline Intracomm Intracomm::Create(const Group& group) const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_create(handle_, group, &result));
  return result;
}

inline Intracomm Intracomm::Dup() const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_dup(handle_, &result));
  return result;
}

inline Intracomm Intracomm::Split(int color, int key) const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_split(handle_, color, key, &result));
  return result;
}

inline Intercomm Intracomm::Create_intercomm(int local_leader, const Comm& peer_comm,
                                             int remote_leader, int tag) const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(
      MPI_Intercomm_create(handle_, local_leader, peer_comm, remote_leader, tag, &result));
  return result;
}

inline Graphcomm Intracomm::Create_graph(int nnodes, const int indx[], const int edges[],
                                         bool reorder) const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Graph_create(handle_, nnodes, indx, edges, reorder, &result));
  return result;
}

inline Distgraphcomm Intracomm::Dist_graph_create(int n, const int sources[], const int degrees[],
                                                  const int destinations[], const int weights[],
                                                  const Info& info, bool reorder) const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Dist_graph_create(handle_, n, sources, degrees, destinations, weights, info,
                                      reorder, &result));
  return result;
}

inline Distgraphcomm Intracomm::Dist_graph_create_adjacent(int indegree, const int sources[],
                                                           const int sourceweights[], int outdegree,
                                                           const int destinations[],
                                                           const int destweights[],
                                                           const Info& info, bool reorder) const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Dist_graph_create_adjacent(handle_, indegree, sources, sourceweights, outdegree,
                                               destinations, destweights, info, reorder, &result));
  return result;
}

inline void Intracomm::Scan(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype,
                            const Op& op) const {
  detail::check(MPI_Scan(sendbuf, recvbuf, count, datatype, op, handle_));
}

inline void Intracomm::Exscan(const void* sendbuf, void* recvbuf, int count,
                              const Datatype& datatype, const Op& op) const {
  detail::check(MPI_Exscan(sendbuf, recvbuf, count, datatype, op, handle_));
}

inline Intercomm Intracomm::Accept(const char* port_name, const Info& info, int root) const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_accept(port_name, info, root, handle_, &result));
  return result;
}

inline Intercomm Intracomm::Connect(const char* port_name, const Info& info, int root) const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_connect(port_name, info, root, handle_, &result));
  return result;
}

inline Intercomm Intercomm::Create(const Group& group) const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_create(handle_, group, &result));
  return result;
}

inline Intercomm Intercomm::Dup() const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_dup(handle_, &result));
  return result;
}

inline Intercomm Intercomm::Split(int color, int key) const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_split(handle_, color, key, &result));
  return result;
}

inline Intracomm Intercomm::Merge(bool high) const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Intercomm_merge(handle_, high, &result));
  return result;
}

inline Group Intercomm::Get_remote_group() const {
  MPI_Group result = MPI_GROUP_NULL;
  detail::check(MPI_Comm_remote_group(handle_, &result));
  return result;
}

inline int Intercomm::Get_remote_size() const {
  int result = 0;
  detail::check(MPI_Comm_remote_size(handle_, &result));
  return result;
}

inline Cartcomm Cartcomm::Dup() const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_dup(handle_, &result));
  return result;
}

inline int Cartcomm::Get_cart_rank(const int coords[]) const {
  int result = 0;
  detail::check(MPI_Cart_rank(handle_, coords, &result));
  return result;
}

inline void Cartcomm::Get_coords(int rank, int maxdims, int coords[]) const {
  detail::check(MPI_Cart_coords(handle_, rank, maxdims, coords));
}

inline int Cartcomm::Get_dim() const {
  int result = 0;
  detail::check(MPI_Cartdim_get(handle_, &result));
  return result;
}

inline void Cartcomm::Shift(int direction, int disp, int& rank_source, int& rank_dest) const {
  detail::check(MPI_Cart_shift(handle_, direction, disp, &rank_source, &rank_dest));
}

inline Graphcomm Graphcomm::Dup() const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_dup(handle_, &result));
  return result;
}

inline void Graphcomm::Get_dims(int nnodes[], int nedges[]) const {
  detail::check(MPI_Graphdims_get(handle_, nnodes, nedges));
}

inline void Graphcomm::Get_neighbors(int rank, int maxneighbors, int neighbors[]) const {
  detail::check(MPI_Graph_neighbors(handle_, rank, maxneighbors, neighbors));
}

inline int Graphcomm::Get_neighbors_count(int rank) const {
  int result = 0;
  detail::check(MPI_Graph_neighbors_count(handle_, rank, &result));
  return result;
}

inline void Graphcomm::Get_topo(int maxindex, int maxedges, int indx[], int edges[]) const {
  detail::check(MPI_Graph_get(handle_, maxindex, maxedges, indx, edges));
}

inline int Graphcomm::Map(int nnodes, const int indx[], const int edges[]) const {
  int result = 0;
  detail::check(MPI_Graph_map(handle_, nnodes, indx, edges, &result));
  return result;
}

inline Distgraphcomm Distgraphcomm::Dup() const {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_dup(handle_, &result));
  return result;
}

inline void Distgraphcomm::Get_dist_neighbors(int maxindegree, int sources[], int sourceweights[],
                                              int maxoutdegree, int destinations[],
                                              int destweights[]) const {
  detail::check(MPI_Dist_graph_neighbors(handle_, maxindegree, sources, sourceweights, maxoutdegree,
                                         destinations, destweights));
}

}  // namespace MPI

#endif
