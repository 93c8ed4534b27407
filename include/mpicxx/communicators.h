// SPDX-License-Identifier: BSD-3-Clause
// Written by tools/bindings/generate_cxx from cxx/functions.txt; do not edit.
#ifndef MPICXX_COMMUNICATORS_H
#define MPICXX_COMMUNICATORS_H

#include "window_classes.h"

namespace MPI {

inline void Comm::Send(const void* buf, int count, const Datatype& datatype, int dest,
                       int tag) const {
  detail::check(MPI_Send(buf, count, datatype, dest, tag, handle_));
}

inline void Comm::Bsend(const void* buf, int count, const Datatype& datatype, int dest,
                        int tag) const {
  detail::check(MPI_Bsend(buf, count, datatype, dest, tag, handle_));
}

inline void Comm::Ssend(const void* buf, int count, const Datatype& datatype, int dest,
                        int tag) const {
  detail::check(MPI_Ssend(buf, count, datatype, dest, tag, handle_));
}

inline void Comm::Rsend(const void* buf, int count, const Datatype& datatype, int dest,
                        int tag) const {
  detail::check(MPI_Rsend(buf, count, datatype, dest, tag, handle_));
}

inline void Comm::Recv(void* buf, int count, const Datatype& datatype, int source, int tag,
                       Status& status) const {
  detail::check(MPI_Recv(buf, count, datatype, source, tag, handle_, detail::address(status)));
}

inline void Comm::Recv(void* buf, int count, const Datatype& datatype, int source, int tag) const {
  detail::check(MPI_Recv(buf, count, datatype, source, tag, handle_, MPI_STATUS_IGNORE));
}

inline Request Comm::Isend(const void* buf, int count, const Datatype& datatype, int dest,
                           int tag) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_Isend(buf, count, datatype, dest, tag, handle_, &result));
  return result;
}

inline Request Comm::Ibsend(const void* buf, int count, const Datatype& datatype, int dest,
                            int tag) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_Ibsend(buf, count, datatype, dest, tag, handle_, &result));
  return result;
}

inline Request Comm::Issend(const void* buf, int count, const Datatype& datatype, int dest,
                            int tag) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_Issend(buf, count, datatype, dest, tag, handle_, &result));
  return result;
}

inline Request Comm::Irsend(const void* buf, int count, const Datatype& datatype, int dest,
                            int tag) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_Irsend(buf, count, datatype, dest, tag, handle_, &result));
  return result;
}

inline Request Comm::Irecv(void* buf, int count, const Datatype& datatype, int source,
                           int tag) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_Irecv(buf, count, datatype, source, tag, handle_, &result));
  return result;
}

inline Prequest Comm::Send_init(const void* buf, int count, const Datatype& datatype, int dest,
                                int tag) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_Send_init(buf, count, datatype, dest, tag, handle_, &result));
  return result;
}

inline Prequest Comm::Bsend_init(const void* buf, int count, const Datatype& datatype, int dest,
                                 int tag) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_Bsend_init(buf, count, datatype, dest, tag, handle_, &result));
  return result;
}

inline Prequest Comm::Ssend_init(const void* buf, int count, const Datatype& datatype, int dest,
                                 int tag) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_Ssend_init(buf, count, datatype, dest, tag, handle_, &result));
  return result;
}

inline Prequest Comm::Rsend_init(const void* buf, int count, const Datatype& datatype, int dest,
                                 int tag) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_Rsend_init(buf, count, datatype, dest, tag, handle_, &result));
  return result;
}

inline Prequest Comm::Recv_init(void* buf, int count, const Datatype& datatype, int source,
                                int tag) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPI_Recv_init(buf, count, datatype, source, tag, handle_, &result));
  return result;
}

inline void Comm::Probe(int source, int tag, Status& status) const {
  detail::check(MPI_Probe(source, tag, handle_, detail::address(status)));
}

inline void Comm::Probe(int source, int tag) const {
  detail::check(MPI_Probe(source, tag, handle_, MPI_STATUS_IGNORE));
}

inline bool Comm::Iprobe(int source, int tag, Status& status) const {
  int result = 0;
  detail::check(MPI_Iprobe(source, tag, handle_, &result, detail::address(status)));
  return result != 0;
}

inline bool Comm::Iprobe(int source, int tag) const {
  int result = 0;
  detail::check(MPI_Iprobe(source, tag, handle_, &result, MPI_STATUS_IGNORE));
  return result != 0;
}

inline void Comm::Sendrecv(const void* sendbuf, int sendcount, const Datatype& sendtype, int dest,
                           int sendtag, void* recvbuf, int recvcount, const Datatype& recvtype,
                           int source, int recvtag, Status& status) const {
  detail::check(MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                             recvtype, source, recvtag, handle_, detail::address(status)));
}

inline void Comm::Sendrecv(const void* sendbuf, int sendcount, const Datatype& sendtype, int dest,
                           int sendtag, void* recvbuf, int recvcount, const Datatype& recvtype,
                           int source, int recvtag) const {
  detail::check(MPI_Sendrecv(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount,
                             recvtype, source, recvtag, handle_, MPI_STATUS_IGNORE));
}

inline void Comm::Sendrecv_replace(void* buf, int count, const Datatype& datatype, int dest,
                                   int sendtag, int source, int recvtag, Status& status) const {
  detail::check(MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, handle_,
                                     detail::address(status)));
}

inline void Comm::Sendrecv_replace(void* buf, int count, const Datatype& datatype, int dest,
                                   int sendtag, int source, int recvtag) const {
  detail::check(MPI_Sendrecv_replace(buf, count, datatype, dest, sendtag, source, recvtag, handle_,
                                     MPI_STATUS_IGNORE));
}

inline void Comm::Barrier() const {
  detail::check(MPI_Barrier(handle_));
}

inline void Comm::Bcast(void* buffer, int count, const Datatype& datatype, int root) const {
  detail::check(MPI_Bcast(buffer, count, datatype, root, handle_));
}

inline void Comm::Gather(const void* sendbuf, int sendcount, const Datatype& sendtype,
                         void* recvbuf, int recvcount, const Datatype& recvtype, int root) const {
  detail::check(
      MPI_Gather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, handle_));
}

inline void Comm::Gatherv(const void* sendbuf, int sendcount, const Datatype& sendtype,
                          void* recvbuf, const int recvcounts[], const int displs[],
                          const Datatype& recvtype, int root) const {
  detail::check(MPI_Gatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype,
                            root, handle_));
}

inline void Comm::Scatter(const void* sendbuf, int sendcount, const Datatype& sendtype,
                          void* recvbuf, int recvcount, const Datatype& recvtype, int root) const {
  detail::check(
      MPI_Scatter(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, handle_));
}

inline void Comm::Scatterv(const void* sendbuf, const int sendcounts[], const int displs[],
                           const Datatype& sendtype, void* recvbuf, int recvcount,
                           const Datatype& recvtype, int root) const {
  detail::check(MPI_Scatterv(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype,
                             root, handle_));
}

inline void Comm::Allgather(const void* sendbuf, int sendcount, const Datatype& sendtype,
                            void* recvbuf, int recvcount, const Datatype& recvtype) const {
  detail::check(MPI_Allgather(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, handle_));
}

inline void Comm::Allgatherv(const void* sendbuf, int sendcount, const Datatype& sendtype,
                             void* recvbuf, const int recvcounts[], const int displs[],
                             const Datatype& recvtype) const {
  detail::check(
      MPI_Allgatherv(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, handle_));
}

inline void Comm::Alltoall(const void* sendbuf, int sendcount, const Datatype& sendtype,
                           void* recvbuf, int recvcount, const Datatype& recvtype) const {
  detail::check(MPI_Alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, handle_));
}

inline void Comm::Alltoallv(const void* sendbuf, const int sendcounts[], const int sdispls[],
                            const Datatype& sendtype, void* recvbuf, const int recvcounts[],
                            const int rdispls[], const Datatype& recvtype) const {
  detail::check(MPI_Alltoallv(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls,
                              recvtype, handle_));
}

inline void Comm::Alltoallw(const void* sendbuf, const int sendcounts[], const int sdispls[],
                            const Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const int rdispls[], const Datatype recvtypes[]) const {
  detail::check(MPI_Alltoallw(sendbuf, sendcounts, sdispls, detail::address(sendtypes), recvbuf,
                              recvcounts, rdispls, detail::address(recvtypes), handle_));
}

inline void Comm::Alltoallx(const void* sendbuf, const int sendcounts[], const Aint sdispls[],
                            const Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                            const Aint rdispls[], const Datatype recvtypes[]) const {
  detail::check(MPIX_Alltoallx(sendbuf, sendcounts, sdispls, detail::address(sendtypes), recvbuf,
                               recvcounts, rdispls, detail::address(recvtypes), handle_));
}

inline Request Comm::Ialltoallx(const void* sendbuf, const int sendcounts[], const Aint sdispls[],
                                const Datatype sendtypes[], void* recvbuf, const int recvcounts[],
                                const Aint rdispls[], const Datatype recvtypes[]) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPIX_Ialltoallx(sendbuf, sendcounts, sdispls, detail::address(sendtypes), recvbuf,
                                recvcounts, rdispls, detail::address(recvtypes), handle_, &result));
  return result;
}

inline Prequest Comm::Alltoallx_init(const void* sendbuf, const int sendcounts[],
                                     const Aint sdispls[], const Datatype sendtypes[],
                                     void* recvbuf, const int recvcounts[], const Aint rdispls[],
                                     const Datatype recvtypes[], const Info& info) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPIX_Alltoallx_init(sendbuf, sendcounts, sdispls, detail::address(sendtypes),
                                    recvbuf, recvcounts, rdispls, detail::address(recvtypes),
                                    handle_, info, &result));
  return result;
}

inline void Comm::Alltoallx(const void* sendbuf, const MPI_Count sendcounts[], const Aint sdispls[],
                            const Datatype sendtypes[], void* recvbuf, const MPI_Count recvcounts[],
                            const Aint rdispls[], const Datatype recvtypes[]) const {
  detail::check(MPIX_Alltoallx_c(sendbuf, sendcounts, sdispls, detail::address(sendtypes), recvbuf,
                                 recvcounts, rdispls, detail::address(recvtypes), handle_));
}

inline Request Comm::Ialltoallx(const void* sendbuf, const MPI_Count sendcounts[],
                                const Aint sdispls[], const Datatype sendtypes[], void* recvbuf,
                                const MPI_Count recvcounts[], const Aint rdispls[],
                                const Datatype recvtypes[]) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPIX_Ialltoallx_c(sendbuf, sendcounts, sdispls, detail::address(sendtypes), recvbuf,
                                  recvcounts, rdispls, detail::address(recvtypes), handle_,
                                  &result));
  return result;
}

inline Prequest Comm::Alltoallx_init(const void* sendbuf, const MPI_Count sendcounts[],
                                     const Aint sdispls[], const Datatype sendtypes[],
                                     void* recvbuf, const MPI_Count recvcounts[],
                                     const Aint rdispls[], const Datatype recvtypes[],
                                     const Info& info) const {
  MPI_Request result = MPI_REQUEST_NULL;
  detail::check(MPIX_Alltoallx_init_c(sendbuf, sendcounts, sdispls, detail::address(sendtypes),
                                      recvbuf, recvcounts, rdispls, detail::address(recvtypes),
                                      handle_, info, &result));
  return result;
}

inline void Comm::Reduce(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype,
                         const Op& op, int root) const {
  detail::check(MPI_Reduce(sendbuf, recvbuf, count, datatype, op, root, handle_));
}

inline void Comm::Allreduce(const void* sendbuf, void* recvbuf, int count, const Datatype& datatype,
                            const Op& op) const {
  detail::check(MPI_Allreduce(sendbuf, recvbuf, count, datatype, op, handle_));
}

inline void Comm::Reduce_scatter(const void* sendbuf, void* recvbuf, const int recvcounts[],
                                 const Datatype& datatype, const Op& op) const {
  detail::check(MPI_Reduce_scatter(sendbuf, recvbuf, recvcounts, datatype, op, handle_));
}

inline void Comm::Reduce_scatter_block(const void* sendbuf, void* recvbuf, int recvcount,
                                       const Datatype& datatype, const Op& op) const {
  detail::check(MPI_Reduce_scatter_block(sendbuf, recvbuf, recvcount, datatype, op, handle_));
}

inline int Comm::Compare(const Comm& comm1, const Comm& comm2) {
  int result = 0;
  detail::check(MPI_Comm_compare(comm1, comm2, &result));
  return result;
}

inline Group Comm::Get_group() const {
  MPI_Group result = MPI_GROUP_NULL;
  detail::check(MPI_Comm_group(handle_, &result));
  return result;
}

inline int Comm::Get_rank() const {
  int result = 0;
  detail::check(MPI_Comm_rank(handle_, &result));
  return result;
}

inline int Comm::Get_size() const {
  int result = 0;
  detail::check(MPI_Comm_size(handle_, &result));
  return result;
}

inline bool Comm::Is_inter() const {
  int result = 0;
  detail::check(MPI_Comm_test_inter(handle_, &result));
  return result != 0;
}

inline void Comm::Free() {
  detail::check(MPI_Comm_free(&handle_));
}

inline void Comm::Disconnect() {
  detail::check(MPI_Comm_disconnect(&handle_));
}

inline void Comm::Abort(int errorcode) {
  detail::check(MPI_Abort(handle_, errorcode));
}

inline Intercomm Comm::Get_parent() {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_get_parent(&result));
  return result;
}

inline Intercomm Comm::Join(int fd) {
  MPI_Comm result = MPI_COMM_NULL;
  detail::check(MPI_Comm_join(fd, &result));
  return result;
}

inline void Comm::Get_name(char* comm_name, int& resultlen) const {
  detail::check(MPI_Comm_get_name(handle_, comm_name, &resultlen));
}

inline void Comm::Set_name(const char* comm_name) {
  detail::check(MPI_Comm_set_name(handle_, comm_name));
}

inline void Comm::Free_keyval(int& comm_keyval) {
  detail::check(MPI_Comm_free_keyval(&comm_keyval));
}

inline void Comm::Delete_attr(int comm_keyval) {
  detail::check(MPI_Comm_delete_attr(handle_, comm_keyval));
}

inline bool Comm::Get_attr(int comm_keyval, void* attribute_val) const {
  int result = 0;
  detail::check(MPI_Comm_get_attr(handle_, comm_keyval, attribute_val, &result));
  return result != 0;
}

inline Errhandler Comm::Get_errhandler() const {
  MPI_Errhandler result = MPI_ERRHANDLER_NULL;
  detail::check(MPI_Comm_get_errhandler(handle_, &result));
  return result;
}

inline void Comm::Call_errhandler(int errorcode) const {
  detail::check(MPI_Comm_call_errhandler(handle_, errorcode));
}

}  // namespace MPI

#endif
