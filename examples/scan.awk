# Makes of a mesh what a scanner might see of it: points here and there, with noise, the thing
# bulged out and dented in, and nothing near the ground and in the glare of the lamp. Of the teapot:
#
#   clspline eval teapot.bv --samples 90 --normals -o - -f obj |
#       LC_ALL=C awk -f scan.awk > scan.xyz
#   clspline project teapot.bv scan.xyz --signed -o scan.png --bar
#
# Random numbers are made here, so that all awks make the same points. LC_ALL=C has numbers read and
# written with a decimal point in every language.

# Uniform in 0..1, and about normal with deviation 1.
function uniform() { state = (state * 3877 + 29573) % 139968; return state / 139968 }
function normal() { return sqrt(3) * (uniform() + uniform() + uniform() + uniform() - 2) }

# How near the vertex is to a place: 1 there, 0 far away.
function near(a, b, c, radius) {
    return exp(-((px - a) ^ 2 + (py - b) ^ 2 + (pz - c) ^ 2) / radius ^ 2)
}

BEGIN { state = 42; apart = 0.028 }

$1 == "v" { x[++num] = $2; y[num] = $3; z[num] = $4 }

$1 == "vn" {
    px = x[++at]; py = y[at]; pz = z[at]
    cell = int(px / apart + 99) " " int(py / apart + 99) " " int(pz / apart + 99)
    if (uniform() > 0.1 || cell in seen) next
    seen[cell] = 1
    if (py < 0.04 || near(0.05, 0.6, 0.4, 0.14) > 0.5) next
    off = 0.003 * normal() + 0.03 * near(0.3, 0.4, 0.5, 0.17) - 0.03 * near(-0.3, 0.3, 0.5, 0.17)
    print px + off * $2, py + off * $3, pz + off * $4
}
