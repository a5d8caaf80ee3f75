package io.loligo.server.exchange.admission;

import io.loligo.server.exchange.request.Request;
import io.loligo.server.helper.HelperPair;
import io.loligo.server.helper.HelperReply;
import io.loligo.server.record.HelperFacts;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Notes of helpers at requests. Stateless. */
final class HelperNotes {
  /** Keys of credentials, which no log may show. */
  private static final Set<String> SECRET = Set.of("password", "token", "ha1");

  private HelperNotes() {}

  /** Adds the pairs of {@code reply} to the notes of {@code request}. */
  static void add(Request request, HelperReply reply) {
    if (reply.pairs().isEmpty()) {
      return;
    }
    List<HelperFacts.Note> notes = new ArrayList<>();
    for (HelperPair pair : reply.pairs()) {
      if (!SECRET.contains(pair.key())) {
        notes.add(new HelperFacts.Note(pair.key(), pair.value()));
      }
    }
    request.helpers(request.helpers().with(notes));
  }
}
