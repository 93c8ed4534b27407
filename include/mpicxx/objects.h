// SPDX-License-Identifier: BSD-3-Clause
// Written by tools/bindings/generate_cxx from cxx/functions.txt; do not edit.
#ifndef MPICXX_OBJECTS_H
#define MPICXX_OBJECTS_H

#include "window_classes.h"

namespace MPI {

inline void Attach_buffer(void* buffer, int size) {
  detail::check(MPI_Buffer_attach(buffer, size));
}

inline void Compute_dims(int nnodes, int ndims, int dims[]) {
  detail::check(MPI_Dims_create(nnodes, ndims, dims));
}

inline Aint Get_address(const void* location) {
  MPI_Aint result = 0;
  detail::check(MPI_Get_address(location, &result));
  return result;
}

inline void Free_mem(void* base) {
  detail::check(MPI_Free_mem(base));
}

inline int Add_error_class() {
  int result = 0;
  detail::check(MPI_Add_error_class(&result));
  return result;
}

inline int Add_error_code(int errorclass) {
  int result = 0;
  detail::check(MPI_Add_error_code(errorclass, &result));
  return result;
}

inline void Add_error_string(int errorcode, const char* string) {
  detail::check(MPI_Add_error_string(errorcode, string));
}

inline int Get_error_class(int errorcode) {
  int result = 0;
  detail::check(MPI_Error_class(errorcode, &result));
  return result;
}

inline void Get_error_string(int errorcode, char* string, int& resultlen) {
  detail::check(MPI_Error_string(errorcode, string, &resultlen));
}

inline void Get_processor_name(char* name, int& resultlen) {
  detail::check(MPI_Get_processor_name(name, &resultlen));
}

inline void Get_version(int& version, int& subversion) {
  detail::check(MPI_Get_version(&version, &subversion));
}

inline bool Is_initialized() {
  int result = 0;
  detail::check(MPI_Initialized(&result));
  return result != 0;
}

inline bool Is_finalized() {
  int result = 0;
  detail::check(MPI_Finalized(&result));
  return result != 0;
}

inline bool Is_thread_main() {
  int result = 0;
  detail::check(MPI_Is_thread_main(&result));
  return result != 0;
}

inline int Query_thread() {
  int result = 0;
  detail::check(MPI_Query_thread(&result));
  return result;
}

inline void Finalize() {
  detail::check(MPI_Finalize());
}

inline void Open_port(const Info& info, char* port_name) {
  detail::check(MPI_Open_port(info, port_name));
}

inline void Close_port(const char* port_name) {
  detail::check(MPI_Close_port(port_name));
}

inline void Lookup_name(const char* service_name, const Info& info, char* port_name) {
  detail::check(MPI_Lookup_name(service_name, info, port_name));
}

inline void Publish_name(const char* service_name, const Info& info, const char* port_name) {
  detail::check(MPI_Publish_name(service_name, info, port_name));
}

inline void Unpublish_name(const char* service_name, const Info& info, const char* port_name) {
  detail::check(MPI_Unpublish_name(service_name, info, port_name));
}

inline void Op::Free() {
  detail::check(MPI_Op_free(&handle_));
}

inline bool Op::Is_commutative() const {
  int result = 0;
  detail::check(MPI_Op_commutative(handle_, &result));
  return result != 0;
}

inline void Op::Reduce_local(const void* inbuf, void* inoutbuf, int count,
                             const Datatype& datatype) const {
  detail::check(MPI_Reduce_local(inbuf, inoutbuf, count, datatype, handle_));
}

inline Info Info::Create() {
  MPI_Info result = MPI_INFO_NULL;
  detail::check(MPI_Info_create(&result));
  return result;
}

inline void Info::Delete(const char* key) {
  detail::check(MPI_Info_delete(handle_, key));
}

inline Info Info::Dup() const {
  MPI_Info result = MPI_INFO_NULL;
  detail::check(MPI_Info_dup(handle_, &result));
  return result;
}

inline void Info::Free() {
  detail::check(MPI_Info_free(&handle_));
}

inline bool Info::Get(const char* key, int valuelen, char* value) const {
  int result = 0;
  detail::check(MPI_Info_get(handle_, key, valuelen, value, &result));
  return result != 0;
}

inline int Info::Get_nkeys() const {
  int result = 0;
  detail::check(MPI_Info_get_nkeys(handle_, &result));
  return result;
}

inline void Info::Get_nthkey(int n, char* key) const {
  detail::check(MPI_Info_get_nthkey(handle_, n, key));
}

inline bool Info::Get_valuelen(const char* key, int& valuelen) const {
  int result = 0;
  detail::check(MPI_Info_get_valuelen(handle_, key, &valuelen, &result));
  return result != 0;
}

inline void Info::Set(const char* key, const char* value) {
  detail::check(MPI_Info_set(handle_, key, value));
}

inline void Errhandler::Free() {
  detail::check(MPI_Errhandler_free(&handle_));
}

inline int Group::Compare(const Group& group1, const Group& group2) {
  int result = 0;
  detail::check(MPI_Group_compare(group1, group2, &result));
  return result;
}

inline Group Group::Difference(const Group& group1, const Group& group2) {
  MPI_Group result = MPI_GROUP_NULL;
  detail::check(MPI_Group_difference(group1, group2, &result));
  return result;
}

inline Group Group::Intersect(const Group& group1, const Group& group2) {
  MPI_Group result = MPI_GROUP_NULL;
  detail::check(MPI_Group_intersection(group1, group2, &result));
  return result;
}

inline Group Group::Union(const Group& group1, const Group& group2) {
  MPI_Group result = MPI_GROUP_NULL;
  detail::check(MPI_Group_union(group1, group2, &result));
  return result;
}

inline void Group::Translate_ranks(const Group& group1, int n, const int ranks1[],
                                   const Group& group2, int ranks2[]) {
  detail::check(MPI_Group_translate_ranks(group1, n, ranks1, group2, ranks2));
}

inline Group Group::Excl(int n, const int ranks[]) const {
  MPI_Group result = MPI_GROUP_NULL;
  detail::check(MPI_Group_excl(handle_, n, ranks, &result));
  return result;
}

inline Group Group::Incl(int n, const int ranks[]) const {
  MPI_Group result = MPI_GROUP_NULL;
  detail::check(MPI_Group_incl(handle_, n, ranks, &result));
  return result;
}

inline int Group::Get_rank() const {
  int result = 0;
  detail::check(MPI_Group_rank(handle_, &result));
  return result;
}

inline int Group::Get_size() const {
  int result = 0;
  detail::check(MPI_Group_size(handle_, &result));
  return result;
}

inline void Group::Free() {
  detail::check(MPI_Group_free(&handle_));
}

}  // namespace MPI

#endif
