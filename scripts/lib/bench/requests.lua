-- What wrk sends, and what it reports: one line of JSON.
--
-- Standard input holds the requests, one a line: method, path and perhaps a body, separated by one space. They are sent
-- in turn, those that come after BENCH_SENT of them first. BENCH_TOLERATED is the status of refusals that are counted
-- apart; BENCH_IF_NONE_MATCH and BENCH_ACCEPT_ENCODING, where they are not empty, are headers of all requests. Without
-- BENCH_IF_NONE_MATCH each GET has a tag of its own, so that no two requests are the same.

local requests = {}
local sent = tonumber(os.getenv("BENCH_SENT"))
local tag = os.getenv("BENCH_IF_NONE_MATCH")
local coding = os.getenv("BENCH_ACCEPT_ENCODING")
local worker

function setup(thread)
  worker = thread
end

function init()
  for line in io.lines() do
    local method, path, body = line:match("^(%S+) (%S+) ?(.*)$")
    local headers = { Authorization = "Bearer " .. os.getenv("BENCH_TOKEN") }
    if tag ~= "" then
      headers["If-None-Match"] = tag
    end
    if coding ~= "" then
      headers["Accept-Encoding"] = coding
    end
    if body == "" then
      body = nil
    else
      headers["Content-Type"] = "application/json"
    end
    if method == "GET" and tag == "" then
      requests[#requests + 1] = { method, path, headers }
    else
      requests[#requests + 1] = wrk.format(method, path, headers, body)
    end
  end
end

function request()
  sent = sent + 1
  local found = requests[(sent - 1) % #requests + 1]
  if type(found) == "string" then
    return found
  end
  local method, path, headers = unpack(found)
  headers["If-None-Match"] = string.format('"%d"', sent)
  return wrk.format(method, path, headers)
end

-- Global, because what is local to a thread is lost with it.
tolerated = 0
local tolerated_status = tonumber(os.getenv("BENCH_TOLERATED"))

-- Only where it is needed: it makes wrk slower.
if tolerated_status then
  function response(status)
    if status == tolerated_status then
      tolerated = tolerated + 1
    end
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "refused": %d, "tolerated": %d, "broken": %d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    worker:get("tolerated"), errors.connect + errors.read + errors.write + errors.timeout
  ))
end
