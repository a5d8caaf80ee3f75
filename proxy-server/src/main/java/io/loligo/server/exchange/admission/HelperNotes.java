package io.loligo.server.exchange.admission;

import io.loligo.server.exchange.request.Request;
import io.loligo.server.helper.HelperReply;

/** Notes of helpers at requests. Stateless. */
final class HelperNotes {
  private HelperNotes() {}

  /** Makes the pairs of {@code reply} notes of {@code request}, in place of those so named. */
  static void add(Request request, HelperReply reply) {
    if (!reply.pairs().isEmpty()) {
      request.notes(request.notes().replacing(reply.notes()));
    }
  }
}
