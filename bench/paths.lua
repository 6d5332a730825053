-- wrk requests the paths listed in a file, one after the other, and prints its figures as JSON.
--   wrk … -s bench/paths.lua http://127.0.0.1:8000 -- FILE

function init(args)
  paths, number = {}, 0
  for line in io.lines(args[1]) do paths[#paths + 1] = line end
  wrk.headers["Accept-Encoding"] = "gzip"
end

function request()
  number = number % #paths + 1
  return wrk.format("GET", paths[number])
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'JSON {"requests": %d, "seconds": %f, "bytes": %d, "p50_s": %f, "p99_s": %f, "failed": %d}',
    summary.requests, summary.duration / 1e6, summary.bytes,
    latency:percentile(50) / 1e6, latency:percentile(99) / 1e6,
    errors.status + errors.connect + errors.read + errors.write + errors.timeout
  ))
end
