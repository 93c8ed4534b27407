// SPDX-License-Identifier: BSD-3-Clause
// Writes diffusion.mtx: P1 finite elements for -div(k grad u) = f on a plate with a hole.
//
// The unit square is cut into cells x cells squares, the corners are moved at random (seeded, so
// every run gives the same bytes), each square is split along a random diagonal, and triangles
// inside the hole are left out. The coefficient k varies smoothly over two orders of magnitude,
// with a stiff inclusion. u = 0 on the outer edge (those unknowns are eliminated), no flux through
// the rim of the hole. The matrix is symmetric positive definite; the lower triangle is written.
// Usage: generate_fem [cells] | gzip -9n > diffusion.mtx.gz
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace {

struct Point {
  double x, y;
};

using Triangle = std::array<int, 3>;

struct Mesh {
  std::vector<Point> points;
  std::vector<Triangle> triangles;
  std::vector<bool> fixed;  // on the outer edge, where u = 0
};

/// A 64-bit linear congruential generator (multiplier and increment: Knuth, MMIX), so that the mesh
/// depends on no library.
class Random {
 public:
  /// Uniform in [0, 1), from the upper bits.
  double next() {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<double>(state_ >> 11) / 9007199254740992.0;
  }

 private:
  std::uint64_t state_ = 20240229;
};

constexpr Point kHoleCentre{0.58, 0.44};
constexpr double kHoleRadius = 0.17;

double distance(Point a, Point b) {
  return std::hypot(a.x - b.x, a.y - b.y);
}

double coefficient(Point p) {
  const double smooth = std::exp(1.8 * std::sin(7.0 * p.x + 1.0) * std::cos(5.0 * p.y));
  return distance(p, {0.22, 0.74}) < 0.12 ? 20.0 * smooth : smooth;
}

Point centroid(const Mesh& mesh, const Triangle& t) {
  Point sum{0, 0};
  for (int corner : t) sum = {sum.x + mesh.points[corner].x, sum.y + mesh.points[corner].y};
  return {sum.x / 3, sum.y / 3};
}

void add_points(Mesh& mesh, int cells, Random& random) {
  const double h = 1.0 / cells;
  for (int j = 0; j <= cells; ++j) {
    for (int i = 0; i <= cells; ++i) {
      const bool edge = i == 0 || j == 0 || i == cells || j == cells;
      const double dx = random.next() - 0.5, dy = random.next() - 0.5;
      const double move = edge ? 0.0 : 0.5 * h;
      mesh.points.push_back({i * h + move * dx, j * h + move * dy});
      mesh.fixed.push_back(edge);
    }
  }
}

void add_triangles(Mesh& mesh, int cells, Random& random) {
  auto keep = [&](Triangle t) {
    if (distance(centroid(mesh, t), kHoleCentre) > kHoleRadius) mesh.triangles.push_back(t);
  };
  for (int j = 0; j < cells; ++j) {
    for (int i = 0; i < cells; ++i) {
      const int a = j * (cells + 1) + i, b = a + 1, c = a + cells + 2, d = a + cells + 1;
      if (random.next() < 0.5) {
        keep({a, b, c});
        keep({a, c, d});
      } else {
        keep({a, b, d});
        keep({b, c, d});
      }
    }
  }
}

/// Numbers the unknowns: points that a triangle uses and that are not fixed; -1 for the others.
std::vector<int> number_unknowns(const Mesh& mesh, int& unknowns) {
  std::vector<bool> used(mesh.points.size(), false);
  for (const Triangle& t : mesh.triangles) {
    for (int corner : t) used[corner] = true;
  }
  std::vector<int> number(mesh.points.size(), -1);
  unknowns = 0;
  for (std::size_t p = 0; p < number.size(); ++p) {
    if (used[p] && !mesh.fixed[p]) number[p] = unknowns++;
  }
  return number;
}

using Entries = std::map<std::pair<int, int>, double>;  // (row, column) of the lower triangle

/// Adds k * area * grad(phi_i) . grad(phi_j), the stiffness of one linear triangle.
void add_element(const Mesh& mesh, const Triangle& t, const std::vector<int>& number,
                 Entries& entries) {
  std::array<Point, 3>
      normal{};  // opposite edge turned by 90 degrees: grad(phi_i) = normal_i / (2 area)
  for (int i = 0; i < 3; ++i) {
    const Point p = mesh.points[t[(i + 1) % 3]], q = mesh.points[t[(i + 2) % 3]];
    normal[i] = {p.y - q.y, q.x - p.x};
  }
  const double twice_area = std::abs(normal[0].x * normal[1].y - normal[0].y * normal[1].x);
  const double scale = coefficient(centroid(mesh, t)) / (2 * twice_area);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const int row = number[t[i]], column = number[t[j]];
      if (row < 0 || column < 0 || column > row) continue;
      entries[{row, column}] += scale * (normal[i].x * normal[j].x + normal[i].y * normal[j].y);
    }
  }
}

void print(const Entries& entries, int unknowns) {
  std::printf("%%%%MatrixMarket matrix coordinate real symmetric\n");
  std::printf(
      "%% P1 stiffness matrix: diffusion with varying coefficient, perturbed triangulation of a "
      "plate with a hole\n");
  std::printf("%d %d %zu\n", unknowns, unknowns, entries.size());
  for (const auto& [at, value] : entries)
    std::printf("%d %d %.9g\n", at.first + 1, at.second + 1, value);
}

}  // namespace

int main(int argc, char** argv) {
  const int cells = argc > 1 ? std::atoi(argv[1]) : 140;
  if (cells < 4 || cells > 2000) {
    std::fprintf(stderr, "generate_fem: '%s' is not a number of cells per side; give 4 to 2000\n",
                 argv[1]);
    return 1;
  }
  Random random;
  Mesh mesh;
  add_points(mesh, cells, random);
  add_triangles(mesh, cells, random);
  int unknowns = 0;
  const std::vector<int> number = number_unknowns(mesh, unknowns);
  Entries entries;
  for (const Triangle& t : mesh.triangles) add_element(mesh, t, number, entries);
  print(entries, unknowns);
  return 0;
}
