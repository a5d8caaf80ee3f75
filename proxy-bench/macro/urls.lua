-- Requests for wrk. Arguments: kind (hit|revalidate|miss), size, authority of the origin where the
-- request is to be in absolute-form or "-", a word that makes the URLs of a run unique, how many URLs
-- hits go to, the entity tag to ask with or "-".
local kind, size, authority, word, urls, etag
local requests = {}
local count = 0
local thread = 0

function setup(t)
  t:set("number", thread)
  thread = thread + 1
end

local function request_for(path)
  local host = authority == "-" and "bench.example" or authority
  local target = authority == "-" and path or ("http://" .. authority .. path)
  return "GET " .. target .. " HTTP/1.1\r\nHost: " .. host
    .. "\r\nUser-Agent: bench\r\nAccept: */*\r\nAccept-Language: en\r\n"
    .. (etag == "-" and "" or "If-None-Match: " .. etag .. "\r\n") .. "\r\n"
end

function init(args)
  kind, size, authority, word = args[1], args[2], args[3], args[4]
  urls, etag = tonumber(args[5]), args[6]
  if kind ~= "miss" then
    for i = 1, urls do
      requests[i] = request_for("/" .. size .. "/" .. i)
    end
  end
end

function request()
  count = count + 1
  if kind ~= "miss" then
    return requests[(count - 1) % urls + 1]
  end
  return request_for("/" .. size .. "/" .. word .. "-" .. number .. "-" .. count)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    "RESULT %d %d %d %d %d %d %d %d\n", summary.requests, summary.duration, summary.bytes,
    errors.connect + errors.read + errors.write + errors.timeout + errors.status,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9), latency.max))
end
