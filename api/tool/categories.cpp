// SPDX-License-Identifier: BSD-3-Clause
// Categories: one per framework, and below it one per component (MPI-5.0 §15.3.9).
#include "api/tool/state.h"

using namespace tessera;
using namespace tessera::api;

namespace {

// One of the lists of a category; at most `len` entries.
int list(int index, int len, int* indices, std::vector<int> ToolCategory::*which) {
  return tool_call([&](Tools& all) {
    const ToolCategory* category = element(all.catalog.categories(), index);
    if (category == nullptr) return MPI_T_ERR_INVALID_INDEX;
    if (len < 0 || (len > 0 && indices == nullptr)) return MPI_T_ERR_INVALID;
    const std::vector<int>& numbers = category->*which;
    for (std::size_t i = 0; i < numbers.size() && i < static_cast<std::size_t>(len); ++i)
      indices[i] = numbers[i];
    return MPI_SUCCESS;
  });
}

}  // namespace

TESSERA_WEAK_ALIAS(MPI_T_category_get_num)
extern "C" int PMPI_T_category_get_num(int* num_cat) {
  return tool_call([&](Tools& all) {
    if (num_cat == nullptr) return MPI_T_ERR_INVALID;
    *num_cat = static_cast<int>(all.catalog.categories().size());
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_category_get_info)
extern "C" int PMPI_T_category_get_info(int cat_index, char* name, int* name_len, char* desc,
                                        int* desc_len, int* num_cvars, int* num_pvars,
                                        int* num_categories) {
  return tool_call([&](Tools& all) {
    const ToolCategory* category = element(all.catalog.categories(), cat_index);
    if (category == nullptr) return MPI_T_ERR_INVALID_INDEX;
    give_text(category->name, name, name_len);
    give_text(category->description, desc, desc_len);
    give(num_cvars, category->controls.size());
    give(num_pvars, category->variables.size());
    give(num_categories, category->categories.size());
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_category_get_num_events)
extern "C" int PMPI_T_category_get_num_events(int cat_index, int* num_events) {
  return tool_call([&](Tools& all) {
    const ToolCategory* category = element(all.catalog.categories(), cat_index);
    if (category == nullptr) return MPI_T_ERR_INVALID_INDEX;
    give(num_events, category->events.size());
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_category_get_index)
extern "C" int PMPI_T_category_get_index(const char* name, int* cat_index) {
  return tool_call([&](Tools& all) {
    if (name == nullptr || cat_index == nullptr) return MPI_T_ERR_INVALID;
    const int found = all.catalog.find_category(name);
    if (found < 0) return MPI_T_ERR_INVALID_NAME;
    *cat_index = found;
    return MPI_SUCCESS;
  });
}

TESSERA_WEAK_ALIAS(MPI_T_category_get_cvars)
extern "C" int PMPI_T_category_get_cvars(int cat_index, int len, int indices[]) {
  return list(cat_index, len, indices, &ToolCategory::controls);
}

TESSERA_WEAK_ALIAS(MPI_T_category_get_pvars)
extern "C" int PMPI_T_category_get_pvars(int cat_index, int len, int indices[]) {
  return list(cat_index, len, indices, &ToolCategory::variables);
}

TESSERA_WEAK_ALIAS(MPI_T_category_get_events)
extern "C" int PMPI_T_category_get_events(int cat_index, int len, int indices[]) {
  return list(cat_index, len, indices, &ToolCategory::events);
}

TESSERA_WEAK_ALIAS(MPI_T_category_get_categories)
extern "C" int PMPI_T_category_get_categories(int cat_index, int len, int indices[]) {
  return list(cat_index, len, indices, &ToolCategory::categories);
}

TESSERA_WEAK_ALIAS(MPI_T_category_changed)
extern "C" int PMPI_T_category_changed(int* update_number) {
  return tool_call([&](Tools& all) {
    if (update_number == nullptr) return MPI_T_ERR_INVALID;
    *update_number = all.catalog.stamp();
    return MPI_SUCCESS;
  });
}
