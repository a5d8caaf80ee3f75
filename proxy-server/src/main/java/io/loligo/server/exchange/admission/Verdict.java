package io.loligo.server.exchange.admission;

import io.loligo.server.adapt.ServiceGroup;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.record.Stage;
import java.util.function.Consumer;

/**
 * The verdict of one admission step: {@link #PROCEED}, {@link AnswerHere}, {@link Denied} (which
 * includes challenges), {@link Adapt} or {@link WaitFor}. Immutable.
 */
public sealed interface Verdict {
  /** The next step follows. */
  Verdict PROCEED = new Proceed();

  /** The type of {@link #PROCEED}. */
  record Proceed() implements Verdict {}

  /** A part of the proxy answers the request without the store and without a fetch. */
  enum AnswerHere implements Verdict {
    /** CONNECT: the proxy opens a tunnel. */
    TUNNEL("CONNECT is not answered from the store"),
    /** OPTIONS or TRACE with Max-Forwards 0: the proxy sends 200. */
    MAX_FORWARDS("200, the proxy answers itself: Max-Forwards is 0"),
    /** PURGE: the proxy removes stored responses. */
    PURGE("PURGE is not answered from the store"),
    /** A manager page: the proxy makes it. */
    MANAGER("200, the proxy answers itself: a manager page");

    private final String summary;

    AnswerHere(String summary) {
      this.summary = summary;
    }

    /** One line for operators, as {@code explain} shows it. */
    public String summary() {
      return summary;
    }
  }

  /**
   * The request is refused.
   *
   * @param refusal the response that the client gets
   */
  record Denied(Refusal refusal) implements Verdict {}

  /**
   * The step cannot decide yet. It runs again after {@code party} has answered.
   *
   * @param stage where the record of the request notes the duration of the wait
   */
  record WaitFor(Stage stage, Party party) implements Verdict {}

  /**
   * ICAP services adapt the request. The step runs again with the adapted request.
   *
   * @param group the services
   */
  record Adapt(ServiceGroup group) implements Verdict {}

  /** A party that knows a fact which a step needs: a name server, a login helper, an adaptation. */
  interface Party {
    /**
     * Asks the party for {@code request}, a snapshot.
     *
     * @param then takes a task that adds the answer to the request, and runs it where failures are
     *     handled. The party calls it once, on the event loop of the request, possibly before this
     *     method returns
     */
    void ask(Request request, Consumer<Runnable> then);

    /**
     * The same for a request whose client may leave.
     *
     * @param whenGone takes a task that runs on the event loop if the client leaves before the
     *     answer; the party may leave it alone
     */
    default void ask(Request request, Consumer<Runnable> then, Consumer<Runnable> whenGone) {
      ask(request, then);
    }
  }
}
