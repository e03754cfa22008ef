-- What wrk sends, by the environment, and what it reports: one line of JSON.
--
-- BENCH_PATHS: addresses, separated by spaces and taken in turn; BENCH_BODIES: bodies of PATCH, one a line, of which
-- every round through the addresses takes the next; without them the requests are GET.

local requests = {}
local next_request = 0

local function lines(text)
  local found = {}
  for line in text:gmatch("[^\n]+") do
    found[#found + 1] = line
  end
  return found
end

function init()
  wrk.headers["Authorization"] = "Bearer " .. os.getenv("BENCH_TOKEN")
  local bodies = lines(os.getenv("BENCH_BODIES") or "")
  local method = "GET"
  if #bodies > 0 then
    method = "PATCH"
    wrk.headers["Content-Type"] = "application/json"
  end
  for round = 1, math.max(#bodies, 1) do
    for path in os.getenv("BENCH_PATHS"):gmatch("%S+") do
      requests[#requests + 1] = wrk.format(method, path, nil, bodies[round])
    end
  end
end

function request()
  next_request = next_request % #requests + 1
  return requests[next_request]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "refused": %d, "broken": %d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write + errors.timeout
  ))
end
