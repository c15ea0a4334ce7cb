-- Sends prepared requests in turn, one a line of a file: its path, a space, its body. Prints figures as JSON at the end.
local requests = {}
local sent = 0

function init(args)
  local headers = {}
  for line in io.lines(args[2]) do
    local name, value = line:match('^([^:]+): (.*)$')
    headers[name] = value
  end
  for line in io.lines(args[1]) do
    local path, body = line:match('^(%S+) (.*)$')
    requests[#requests + 1] = wrk.format('POST', path, headers, body)
  end
end

function request()
  sent = sent + 1
  return requests[sent % #requests + 1]
end

function done(summary, latency)
  local failed = summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.timeout
  io.write(string.format(
    '\n{"requests":%d,"perSecond":%f,"p50":%f,"p99":%f,"failed":%d}\n',
    summary.requests, summary.requests / summary.duration * 1e6,
    latency:percentile(50) / 1000, latency:percentile(99) / 1000, failed
  ))
end
