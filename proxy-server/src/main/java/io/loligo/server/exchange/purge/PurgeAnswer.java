package io.loligo.server.exchange.purge;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.server.exchange.answer.ErrorPage;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.request.Suspension;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.LogTag;
import io.loligo.server.upstream.Removal;
import io.loligo.store.purge.Purge;
import io.loligo.store.purge.Purged;
import org.jspecify.annotations.Nullable;

/** Answers a PURGE after all tiers have removed the stored responses. Stateless. */
public final class PurgeAnswer {
  private PurgeAnswer() {}

  /**
   * Begins the purge. Returns the part that waits for it, or null if the request is refused.
   *
   * @param request borrowed
   */
  public static @Nullable ClientEvents start(LoopServices services, Request request) {
    Purge purge;
    try {
      purge =
          PurgeFields.read(services.keys.probe(request.target()).toKey(), request.head().fields());
    } catch (IllegalArgumentException e) {
      String text = "Cannot be purged: " + e.getMessage();
      ErrorPage.refuse(
          request.stream(),
          services,
          request.contentLength(),
          Refusal.of(400, "ERR_INVALID_REQ", text));
      return null;
    }
    ClientStream stream = request.stream();
    if (ContentLength.hasContent(request.contentLength())) {
      stream.closeAfter();
    }
    request.record().tag = LogTag.TCP_MISS;
    boolean told = request.mayBeTold();
    Suspension suspension = new Suspension(request.snapshot());
    services.store.purge(
        purge,
        stream.loop(),
        purged ->
            suspension.resume(
                () -> {
                  answer(services, stream, purge, purged, told);
                  return null;
                }));
    return suspension;
  }

  private static void answer(
      LoopServices services, ClientStream stream, Purge purge, Purged purged, boolean told) {
    ExchangeRecord record = stream.record();
    switch (purged.outcome()) {
      case NOT_CONFIRMED -> {
        record.hitClass = HitClass.OWN_ANSWER;
        record.errorDetail = "a cache_dir did not confirm the purge";
        String text =
            "The purged responses are no longer served, but a cache_dir did not confirm their"
                + " removal. They may reappear after a restart. Send the PURGE again.";
        ErrorPage.send(stream, services, 500, "ERR_PURGE_FAILED", text, null);
      }
      case REFUSED -> {
        record.hitClass = HitClass.OWN_ANSWER;
        record.errorDetail = "too many purges are pending";
        FieldLines retry = new FieldLines(32).add("Retry-After", "60");
        String text = "Nothing was purged: too many purges are pending.";
        ErrorPage.send(stream, services, 503, "ERR_PURGE_BUSY", text, retry);
      }
      case LEFT -> {
        record.hitClass = HitClass.OWN_ANSWER;
        record.errorDetail = "this process has left its cluster";
        FieldLines retry = new FieldLines(32).add("Retry-After", "0");
        String text =
            "This process is ending, and other nodes of the cluster may not know of the purge. Send"
                + " it again on a new connection.";
        stream.closeAfter();
        ErrorPage.send(stream, services, 503, "ERR_PURGE_BUSY", text, retry);
      }
      case DONE -> {
        if (told && purge instanceof Purge.Url one && !one.soft()) {
          services.asking.removed(one.key().toString(), Removal.PURGE);
        }
        FieldLines lines = services.scratch.lines();
        services.clock.addDate(lines, services.clock.millis());
        PurgeFields.answer(purged, lines);
        byte[] via = services.settings.viaLine();
        lines.append(via, 0, via.length);
        stream.head(
            services.scratch.head(PurgeFields.status(purge, purged), lines).content(0, true));
        stream.flush();
      }
    }
  }
}
