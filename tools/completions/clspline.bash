source <(clspline completions bash)
