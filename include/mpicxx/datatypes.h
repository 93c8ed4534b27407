// SPDX-License-Identifier: BSD-3-Clause
// Written by tools/bindings/generate_cxx from cxx/functions.txt; do not edit.
#ifndef MPICXX_DATATYPES_H
#define MPICXX_DATATYPES_H

#include "window_classes.h"

namespace MPI {

inline void Datatype::Commit() {
  detail::check(MPI_Type_commit(&handle_));
}

inline void Datatype::Free() {
  detail::check(MPI_Type_free(&handle_));
}

inline Datatype Datatype::Create_contiguous(int count) const {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(MPI_Type_contiguous(count, handle_, &result));
  return result;
}

inline Datatype Datatype::Create_vector(int count, int blocklength, int stride) const {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(MPI_Type_vector(count, blocklength, stride, handle_, &result));
  return result;
}

inline Datatype Datatype::Create_hvector(int count, int blocklength, Aint stride) const {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(MPI_Type_create_hvector(count, blocklength, stride, handle_, &result));
  return result;
}

inline Datatype Datatype::Create_indexed(int count, const int array_of_blocklengths[],
                                         const int array_of_displacements[]) const {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(
      MPI_Type_indexed(count, array_of_blocklengths, array_of_displacements, handle_, &result));
  return result;
}

inline Datatype Datatype::Create_hindexed(int count, const int array_of_blocklengths[],
                                          const Aint array_of_displacements[]) const {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(MPI_Type_create_hindexed(count, array_of_blocklengths, array_of_displacements,
                                         handle_, &result));
  return result;
}

inline Datatype Datatype::Create_indexed_block(int count, int blocklength,
                                               const int array_of_displacements[]) const {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(
      MPI_Type_create_indexed_block(count, blocklength, array_of_displacements, handle_, &result));
  return result;
}

inline Datatype Datatype::Create_struct(int count, const int array_of_blocklengths[],
                                        const Aint array_of_displacements[],
                                        const Datatype array_of_types[]) {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(MPI_Type_create_struct(count, array_of_blocklengths, array_of_displacements,
                                       detail::address(array_of_types), &result));
  return result;
}

inline Datatype Datatype::Create_subarray(int ndims, const int array_of_sizes[],
                                          const int array_of_subsizes[],
                                          const int array_of_starts[], int order) const {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(MPI_Type_create_subarray(ndims, array_of_sizes, array_of_subsizes, array_of_starts,
                                         order, handle_, &result));
  return result;
}

inline Datatype Datatype::Create_darray(int size, int rank, int ndims, const int array_of_gsizes[],
                                        const int array_of_distribs[], const int array_of_dargs[],
                                        const int array_of_psizes[], int order) const {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(MPI_Type_create_darray(size, rank, ndims, array_of_gsizes, array_of_distribs,
                                       array_of_dargs, array_of_psizes, order, handle_, &result));
  return result;
}

inline Datatype Datatype::Create_resized(Aint lb, Aint extent) const {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(MPI_Type_create_resized(handle_, lb, extent, &result));
  return result;
}

inline Datatype Datatype::Dup() const {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(MPI_Type_dup(handle_, &result));
  return result;
}

inline Datatype Datatype::Create_f90_complex(int p, int r) {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(MPI_Type_create_f90_complex(p, r, &result));
  return result;
}

inline Datatype Datatype::Create_f90_real(int p, int r) {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(MPI_Type_create_f90_real(p, r, &result));
  return result;
}

inline Datatype Datatype::Create_f90_integer(int r) {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(MPI_Type_create_f90_integer(r, &result));
  return result;
}

inline Datatype Datatype::Match_size(int typeclass, int size) {
  MPI_Datatype result = MPI_DATATYPE_NULL;
  detail::check(MPI_Type_match_size(typeclass, size, &result));
  return result;
}

inline int Datatype::Get_size() const {
  int result = 0;
  detail::check(MPI_Type_size(handle_, &result));
  return result;
}

inline void Datatype::Get_extent(Aint& lb, Aint& extent) const {
  detail::check(MPI_Type_get_extent(handle_, &lb, &extent));
}

inline void Datatype::Get_true_extent(Aint& true_lb, Aint& true_extent) const {
  detail::check(MPI_Type_get_true_extent(handle_, &true_lb, &true_extent));
}

inline void Datatype::Get_envelope(int& num_integers, int& num_addresses, int& num_datatypes,
                                   int& combiner) const {
  detail::check(
      MPI_Type_get_envelope(handle_, &num_integers, &num_addresses, &num_datatypes, &combiner));
}

inline void Datatype::Get_contents(int max_integers, int max_addresses, int max_datatypes,
                                   int array_of_integers[], Aint array_of_addresses[],
                                   Datatype array_of_datatypes[]) const {
  detail::check(MPI_Type_get_contents(handle_, max_integers, max_addresses, max_datatypes,
                                      array_of_integers, array_of_addresses,
                                      detail::address(array_of_datatypes)));
}

inline void Datatype::Pack(const void* inbuf, int incount, void* outbuf, int outsize, int& position,
                           const Comm& comm) const {
  detail::check(MPI_Pack(inbuf, incount, handle_, outbuf, outsize, &position, comm));
}

inline int Datatype::Pack_size(int incount, const Comm& comm) const {
  int result = 0;
  detail::check(MPI_Pack_size(incount, handle_, comm, &result));
  return result;
}

inline void Datatype::Unpack(const void* inbuf, int insize, void* outbuf, int outcount,
                             int& position, const Comm& comm) const {
  detail::check(MPI_Unpack(inbuf, insize, &position, outbuf, outcount, handle_, comm));
}

inline void Datatype::Pack_external(const char* datarep, const void* inbuf, int incount,
                                    void* outbuf, Aint outsize, Aint& position) const {
  detail::check(MPI_Pack_external(datarep, inbuf, incount, handle_, outbuf, outsize, &position));
}

inline Aint Datatype::Pack_external_size(const char* datarep, int incount) const {
  MPI_Aint result = 0;
  detail::check(MPI_Pack_external_size(datarep, incount, handle_, &result));
  return result;
}

inline void Datatype::Unpack_external(const char* datarep, const void* inbuf, Aint insize,
                                      Aint& position, void* outbuf, int outcount) const {
  detail::check(MPI_Unpack_external(datarep, inbuf, insize, &position, outbuf, outcount, handle_));
}

inline void Datatype::Free_keyval(int& type_keyval) {
  detail::check(MPI_Type_free_keyval(&type_keyval));
}

inline void Datatype::Delete_attr(int type_keyval) {
  detail::check(MPI_Type_delete_attr(handle_, type_keyval));
}

inline bool Datatype::Get_attr(int type_keyval, void* attribute_val) const {
  int result = 0;
  detail::check(MPI_Type_get_attr(handle_, type_keyval, attribute_val, &result));
  return result != 0;
}

inline void Datatype::Get_name(char* type_name, int& resultlen) const {
  detail::check(MPI_Type_get_name(handle_, type_name, &resultlen));
}

inline void Datatype::Set_name(const char* type_name) {
  detail::check(MPI_Type_set_name(handle_, type_name));
}

}  // namespace MPI

#endif
