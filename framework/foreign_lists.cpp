// SPDX-License-Identifier: BSD-3-Clause
// Include and exclude lists that were written for another MPI.
#include "framework/foreign_lists.h"

#include <algorithm>
#include <string_view>

#include "framework/text.h"

namespace tessera {
namespace {

struct Renamed {
  std::string_view framework;
  std::string_view theirs;
  std::string_view ours;
};

constexpr Renamed kRenamed[] = {{"btl", "vader", "sm"}};

// Components of Open MPI 1.10 to 5.0 that users name in their files.
struct Elsewhere {
  std::string_view framework;
  std::string_view names;
};

constexpr Elsewhere kElsewhere[] = {
    {"btl", "ofi,openib,portals4,scif,smcuda,uct,ugni,usnic,vader"},
    {"coll",
     "acoll,adapt,cuda,demo,fca,ftagree,han,hcoll,inter,libnbc,portals4,self,sync,tuned,ucc,"
     "xhc"},
    {"io", "ompio,romio,romio314,romio321,romio341"},
    {"op", "aarch64,avx"},
    {"osc", "monitoring,portals4,pt2pt,rdma,ucx"},
    {"pml", "bfo,cm,crcpw,ucx,v,yalla"},
    {"topo", "treematch"},
};

// `where` of a setting in a file is PATH:LINE.
bool from_plain_file(const Parameter& list) noexcept {
  const bool file = list.source == ParamSource::system_file ||
                    list.source == ParamSource::user_file || list.source == ParamSource::tune_file;
  const std::string_view path = std::string_view(list.where).substr(0, list.where.rfind(':'));
  return file && !path.ends_with(".yaml") && !path.ends_with(".yml");
}

bool exists_elsewhere(std::string_view framework, std::string_view name) {
  for (const Elsewhere& row : kElsewhere) {
    if (row.framework != framework) continue;
    const auto names = text::split(row.names, ',');
    return std::find(names.begin(), names.end(), name) != names.end();
  }
  return false;
}

}  // namespace

void adopt_foreign_names(const Parameter& list, Selection& selection) {
  if (list.source != ParamSource::foreign_environment && !from_plain_file(list)) return;
  for (const Renamed& row : kRenamed)
    if (row.framework == list.spec.name) selection.rename(row.theirs, row.ours);
}

bool is_foreign(const Parameter& list, const Selection& selection,
                std::span<const std::string> known) {
  const bool any_name = list.source == ParamSource::foreign_environment;
  if (!any_name && !from_plain_file(list)) return false;
  bool found = false;
  for (const std::string& name : selection.names()) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (!any_name && !exists_elsewhere(list.spec.name, name)) return false;
    found = true;
  }
  return found;
}

}  // namespace tessera
