# Makes of a part's mesh what a scanner might see of it: points all over it, with noise of 0.1 mm,
# and a boss that is not there. Of the plate in tests/data:
#
#   clspline eval plate.json -o - -f obj | LC_ALL=C awk -f scan_part.awk > scan.xyz
#   clspline project plate.json scan.xyz --signed -o deviation.png --bar --range -1,1
#
# Random numbers are made here, so that all awks make the same points. LC_ALL=C has numbers read and
# written with a decimal point in every language.

# Uniform in 0..1, and about normal with deviation 1.
function uniform() { state = (state * 3877 + 29573) % 139968; return state / 139968 }
function normal() { return sqrt(3) * (uniform() + uniform() + uniform() + uniform() - 2) }

# Half of the length of the product of two sides, the area.
function area(i, j, k,    a, b, c, d, e, f) {
    a = x[j] - x[i]; b = y[j] - y[i]; c = z[j] - z[i]
    d = x[k] - x[i]; e = y[k] - y[i]; f = z[k] - z[i]
    return sqrt((b * f - c * e) ^ 2 + (c * d - a * f) ^ 2 + (a * e - b * d) ^ 2) / 2
}

BEGIN { state = 42; per_area = 2 }

$1 == "v" { x[++num] = $2; y[num] = $3; z[num] = $4 }

# Points of a triangle, as many as its area is large.
$1 == "f" {
    for (c = 2; c <= 4; c++) { split($c, of, "/"); corner[c] = of[1] }
    i = corner[2]; j = corner[3]; k = corner[4]
    for (left = per_area * area(i, j, k); left > uniform(); left--) {
        s = sqrt(uniform()); t = s * uniform(); r = 1 - s; s -= t
        px = r * x[i] + s * x[j] + t * x[k]
        py = r * y[i] + s * y[j] + t * y[k]
        pz = r * z[i] + s * z[j] + t * z[k]
        if (pz > 8 && (px - 40) ^ 2 + (py - 25) ^ 2 < 13.1 ^ 2) pz = 8 # the plate, without its boss
        print px + 0.1 * normal(), py + 0.1 * normal(), pz + 0.1 * normal()
    }
}
