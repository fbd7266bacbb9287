clspline completions fish | source
