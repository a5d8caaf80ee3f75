package io.loligo.server.exchange.admission;

import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.record.Stage;

/**
 * What one admission step says of a request: {@link #PROCEED}, {@link AnswerHere}, {@link Denied}
 * (a challenge is one) or {@link WaitFor}.
 */
public sealed interface Verdict {
  /** The next step is asked. */
  Verdict PROCEED = new Proceed();

  /** See {@link #PROCEED}. */
  record Proceed() implements Verdict {}

  /** The request is answered by a part of the proxy that asks neither store nor origin. */
  enum AnswerHere implements Verdict {
    /** CONNECT: a tunnel. */
    TUNNEL("CONNECT is not answered from the store"),
    /** OPTIONS or TRACE with Max-Forwards 0. */
    MAX_FORWARDS("200, the proxy answers itself: Max-Forwards is 0"),
    /** PURGE. */
    PURGE("PURGE is not answered from the store");

    private final String summary;

    AnswerHere(String summary) {
      this.summary = summary;
    }

    /** In one line, for operators. */
    public String summary() {
      return summary;
    }
  }

  /** The request is refused. */
  record Denied(Refusal refusal) implements Verdict {}

  /**
   * The step cannot decide yet. It is asked again when {@code party} has answered.
   *
   * @param stage the time of the wait, in the request's record
   */
  record WaitFor(Stage stage, Party party) implements Verdict {}

  /** A party that knows something a step needs: a name server, a login helper, an adaptation. */
  interface Party {
    /**
     * Asks. The answer becomes a fact of {@code request}, a snapshot; then {@code then} is called,
     * once, on the request's event loop, perhaps before this returns.
     */
    void ask(Request request, Runnable then);
  }
}
