package io.loligo.server.exchange.admission;

import io.loligo.server.exchange.admission.Verdict.Denied;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.shaping.Bucket;
import io.loligo.server.shaping.RequestRate;
import io.loligo.server.time.LoopClock;
import java.util.List;

/** Refuses requests beyond {@code loligo_request_rate}. Confined to the event loop. */
final class RequestRates {
  private final List<RequestRate> rates;
  private final LoopClock clock;

  RequestRates(List<RequestRate> rates, LoopClock clock) {
    this.rates = rates;
    this.clock = clock;
  }

  /** Counts {@code request}. One that was refused by a rate still counts for those before it. */
  Verdict check(Request request) {
    if (!request.isOfClient()) {
      return Verdict.PROCEED; // a forecast
    }
    long nowNanos = clock.nanos();
    for (int i = 0; i < rates.size(); i++) {
      RequestRate rate = rates.get(i);
      if (!rate.access().evaluate(request).allowed()) {
        continue;
      }
      Bucket bucket = rate.of(request, nowNanos);
      if (bucket != null && !rate.admits(bucket, nowNanos)) {
        long seconds = RequestRate.retrySeconds(bucket, nowNanos);
        return new Denied(Refusal.ofRate(rate.name(), seconds));
      }
    }
    return Verdict.PROCEED;
  }
}
