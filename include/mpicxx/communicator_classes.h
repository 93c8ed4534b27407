// SPDX-License-Identifier: BSD-3-Clause
// Written by tools/bindings/generate_cxx from cxx/communicator_classes.h.in and cxx/functions.txt;
// do not edit. Communicators, by kind and topology.
#ifndef MPICXX_COMMUNICATOR_CLASSES_H
#define MPICXX_COMMUNICATOR_CLASSES_H

#include "object_classes.h"

namespace MPI {

class Comm_Null;
class Intracomm;
class Intercomm;
class Cartcomm;
class Graphcomm;
class Distgraphcomm;

class Comm {
 public:
  typedef int Copy_attr_function(const Comm& oldcomm, int comm_keyval, void* extra_state,
                                 void* attribute_val_in, void* attribute_val_out, bool& flag);
  typedef int Delete_attr_function(Comm& comm, int comm_keyval, void* attribute_val,
                                   void* extra_state);
  typedef void Errhandler_function(Comm& comm, int* error_code, ...);
  typedef Errhandler_function Errhandler_fn;
  static int NULL_COPY_FN(const Comm& oldcomm, int comm_keyval, void* extra_state,
                          void* attribute_val_in, void* attribute_val_out, bool& flag);
  static int DUP_FN(const Comm& oldcomm, int comm_keyval, void* extra_state, void* attribute_val_in,
                    void* attribute_val_out, bool& flag);
  static int NULL_DELETE_FN(Comm& comm, int comm_keyval, void* attribute_val, void* extra_state);

#if __cplusplus >= 202002L
  constexpr virtual ~Comm() = default;
#else
  virtual ~Comm() = default;
#endif
  Comm(const Comm&) = default;
  Comm& operator=(const Comm&) = default;
  operator MPI_Comm() const noexcept {
    return handle_;
  }
  bool operator==(const Comm& other) const noexcept {
    return handle_ == other.handle_;
  }
  bool operator!=(const Comm& other) const noexcept {
    return handle_ != other.handle_;
  }
  bool operator==(MPI_Comm other) const noexcept {
    return handle_ == other;
  }
  bool operator!=(MPI_Comm other) const noexcept {
    return handle_ != other;
  }
  // A new duplicate, to be deleted by the caller.
  virtual Comm& Clone() const = 0;
  void Send(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
  void Bsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
  void Ssend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
  void Rsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
  void Recv(void* buf, int count, const Datatype& datatype, int source, int tag,
            Status& status) const;
  void Recv(void* buf, int count, const Datatype& datatype, int source, int tag) const;
  Request Isend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
  Request Ibsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
  Request Issend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
  Request Irsend(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
  Request Irecv(void* buf, int count, const Datatype& datatype, int source, int tag) const;
  Prequest Send_init(const void* buf, int count, const Datatype& datatype, int dest, int tag) const;
  Prequest Bsend_init(const void* buf, int count, const Datatype& datatype, int dest,
                      int tag) const;
  Prequest Ssend_init(const void* buf, int count, const Datatype& datatype, int dest,
                      int tag) const;
  Prequest Rsend_init(const void* buf, int count, const Datatype& datatype, int dest,
                      int tag) const;
  Prequest Recv_init(void* buf, int count, const Datatype& datatype, int source, int tag) const;
  void Probe(int source, int tag, Status& status) const;
  void Probe(int source, int tag) const;
  bool Iprobe(int source, int tag, Status& status) const;
  bool Iprobe(int source, int tag) const;
  void Sendrecv(const void* sendbuf, int sendcount, const Datatype& sendtype, int dest, int sendtag,
                void* recvbuf, int recvcount, const Datatype& recvtype, int source, int recvtag,
                Status& status) const;
  void Sendrecv(const void* sendbuf, int sendcount, const Datatype& sendtype, int dest, int sendtag,
                void* recvbuf, int recvcount, const Datatype& recvtype, int source,
                int recvtag) const;
  void Sendrecv_replace(void* buf, int count, const Datatype& datatype, int dest, int sendtag,
                        int source, int recvtag, Status& status) const;
  void Sendrecv_replace(void* buf, int count, const Datatype& datatype, int dest, int sendtag,
                        int source, int recvtag) const;
  void Barrier() const;
  void Bcast(void* buffer, int count, const Datatype& datatype, int root) const;
  void Gather(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf,
              int recvcount, const Datatype& recvtype, int root) const;
  void Gatherv(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf,
               const int recvcounts[], const int displs[], const Datatype& recvtype,
               int root) const;
  void Scatter(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf,
               int recvcount, const Datatype& recvtype, int root) const;
  void Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                const Datatype& sendtype, void* recvbuf, int recvcount, const Datatype& recvtype,
                int root) const;
  void Allgather(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf,
                 int recvcount, const Datatype& recvtype) const;
  void Allgatherv(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf,
                  const int recvcounts[], const int displs[], const Datatype& recvtype) const;
  void Alltoall(const void* sendbuf, int sendcount, const Datatype& sendtype, void* recvbuf,
                int recvcount, const Datatype& recvtype) const;
  void Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                 const Datatype& sendtype, void* recvbuf, const int recvcounts[],
                 const int rdispls[], const Datatype& recvtype) const;
  void Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                 const Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                 const int rdispls[], const Datatype recvtypes[]) const;
  void Alltoallx(const void* sendbuf, const int sendcounts[], const Aint sdispls[],
                 const Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                 const Aint rdispls[], const Datatype recvtypes[]) const;
  Request Ialltoallx(const void* sendbuf, const int sendcounts[], const Aint sdispls[],
                     const Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                     const Aint rdispls[], const Datatype recvtypes[]) const;
  Prequest Alltoallx_init(const void* sendbuf, const int sendcounts[], const Aint sdispls[],
                          const Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                          const Aint rdispls[], const Datatype recvtypes[], const Info& info) const;
  void Alltoallx(const void* sendbuf, const MPI_Count sendcounts[], const Aint sdispls[],
                 const Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                 const Aint rdispls[], const Datatype recvtypes[]) const;
  Request Ialltoallx(const void* sendbuf, const MPI_Count sendcounts[], const Aint sdispls[],
                     const Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                     const Aint rdispls[], const Datatype recvtypes[]) const;
  Prequest Alltoallx_init(const void* sendbuf, const MPI_Count sendcounts[], const Aint sdispls[],
                          const Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                          const Aint rdispls[], const Datatype recvtypes[], const Info& info) const;
  void Reduce(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype, const Op& op,
              int root) const;
  void Allreduce(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype,
                 const Op& op) const;
  void Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                      const Datatype& datatype, const Op& op) const;
  void Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                            const Datatype& datatype, const Op& op) const;
  static int Compare(const Comm& comm1, const Comm& comm2);
  Group Get_group() const;
  int Get_rank() const;
  int Get_size() const;
  bool Is_inter() const;
  int Get_topology() const;
  void Free();
  void Disconnect();
  void Abort(int errorcode);
  static Intercomm Get_parent();
  static Intercomm Join(int fd);
  void Get_name(char* comm_name, int& resultlen) const;
  void Set_name(const char* comm_name);
  static int Create_keyval(Copy_attr_function* comm_copy_attr_fn,
                           Delete_attr_function* comm_delete_attr_fn, void* extra_state);
  static void Free_keyval(int& comm_keyval);
  void Delete_attr(int comm_keyval);
  bool Get_attr(int comm_keyval, void* attribute_val) const;
  void Set_attr(int comm_keyval, const void* attribute_val) const;
  static Errhandler Create_errhandler(Errhandler_function* function);
  Errhandler Get_errhandler() const;
  void Set_errhandler(const Errhandler& errhandler);
  void Call_errhandler(int errorcode) const;

 protected:
  constexpr explicit Comm(MPI_Comm handle) noexcept : handle_(handle) {}
  MPI_Comm handle_;
  friend struct detail::Access;
};

// What is common to the classes of communicators.
#define MPICXX_COMM(Class, Base)                              \
 public:                                                      \
  Class() noexcept : Base(MPI_COMM_NULL) {}                   \
  constexpr Class(MPI_Comm handle) noexcept : Base(handle) {} \
  Class(const Comm_Null& null) noexcept;                      \
  Class& operator=(MPI_Comm handle) noexcept {                \
    return handle_ = handle, *this;                           \
  }                                                           \
  Class& operator=(const Comm_Null& null) noexcept {          \
    return *this = Class(null);                               \
  }                                                           \
  Class& Clone() const override;

// The class of COMM_NULL, which is a communicator of every class.
class Comm_Null : public Comm {
 public:
  constexpr explicit Comm_Null(MPI_Comm handle = MPI_COMM_NULL) noexcept : Comm(handle) {}
  Comm_Null& Clone() const override;
};

class Intracomm : public Comm {
  MPICXX_COMM(Intracomm, Comm)
  Intracomm Create(const Group& group) const;
  Intracomm Dup() const;
  Intracomm Split(int color, int key) const;
  Intercomm Create_intercomm(int local_leader, const Comm& peer_comm, int remote_leader,
                             int tag) const;
  Cartcomm Create_cart(int ndims, const int dims[], const bool periods[], bool reorder) const;
  Graphcomm Create_graph(int nnodes, const int indx[], const int edges[], bool reorder) const;
  Distgraphcomm Dist_graph_create(int n, const int sources[], const int degrees[],
                                  const int destinations[], const int weights[], const Info& info,
                                  bool reorder) const;
  Distgraphcomm Dist_graph_create(int n, const int sources[], const int degrees[],
                                  const int destinations[], const Info& info, bool reorder) const;
  Distgraphcomm Dist_graph_create_adjacent(int indegree, const int sources[],
                                           const int sourceweights[], int outdegree,
                                           const int destinations[], const int destweights[],
                                           const Info& info, bool reorder) const;
  Distgraphcomm Dist_graph_create_adjacent(int indegree, const int sources[], int outdegree,
                                           const int destinations[], const Info& info,
                                           bool reorder) const;
  void Scan(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype,
            const Op& op) const;
  void Exscan(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype,
              const Op& op) const;
  Intercomm Accept(const char* port_name, const Info& info, int root) const;
  Intercomm Connect(const char* port_name, const Info& info, int root) const;
  Intercomm Spawn(const char* command, const char* argv[], int maxprocs, const Info& info,
                  int root) const;
  Intercomm Spawn(const char* command, const char* argv[], int maxprocs, const Info& info, int root,
                  int array_of_errcodes[]) const;
  Intercomm Spawn_multiple(int count, const char* array_of_commands[], const char** array_of_argv[],
                           const int array_of_maxprocs[], const Info array_of_info[], int root);
  Intercomm Spawn_multiple(int count, const char* array_of_commands[], const char** array_of_argv[],
                           const int array_of_maxprocs[], const Info array_of_info[], int root,
                           int array_of_errcodes[]);
};

class Intercomm : public Comm {
  MPICXX_COMM(Intercomm, Comm)
  Intercomm Create(const Group& group) const;
  Intercomm Dup() const;
  Intercomm Split(int color, int key) const;
  Intracomm Merge(bool high) const;
  Group Get_remote_group() const;
  int Get_remote_size() const;
};

class Cartcomm : public Intracomm {
  MPICXX_COMM(Cartcomm, Intracomm)
  Cartcomm Dup() const;
  int Get_cart_rank(const int coords[]) const;
  void Get_coords(int rank, int maxdims, int coords[]) const;
  int Get_dim() const;
  void Get_topo(int maxdims, int dims[], bool periods[], int coords[]) const;
  int Map(int ndims, const int dims[], const bool periods[]) const;
  void Shift(int direction, int disp, int& rank_source, int& rank_dest) const;
  Cartcomm Sub(const bool remain_dims[]) const;
};

class Graphcomm : public Intracomm {
  MPICXX_COMM(Graphcomm, Intracomm)
  Graphcomm Dup() const;
  void Get_dims(int nnodes[], int nedges[]) const;
  void Get_neighbors(int rank, int maxneighbors, int neighbors[]) const;
  int Get_neighbors_count(int rank) const;
  void Get_topo(int maxindex, int maxedges, int indx[], int edges[]) const;
  int Map(int nnodes, const int indx[], const int edges[]) const;
};

class Distgraphcomm : public Intracomm {
  MPICXX_COMM(Distgraphcomm, Intracomm)
  Distgraphcomm Dup() const;
  void Get_dist_neighbors_count(int& indegree, int& outdegree, bool& weighted) const;
  void Get_dist_neighbors(int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
                          int destinations[], int destweights[]) const;
};

#undef MPICXX_COMM

}  // namespace MPI

#endif
