package io.loligo.server.exchange.admission;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.server.accesslog.LogFormat;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.helper.Helper;
import io.loligo.server.helper.HelperQuestion;
import io.loligo.server.helper.HelperReply;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/** Asks a helper about the URL of a request. Confined to the event loop. */
final class UrlQuestion implements Verdict.Party {
  private final LoopServices services;
  private final Helper helper;
  private final LogFormat extras;
  private final BiConsumer<Request, HelperReply> answer;

  /**
   * A question of one loop.
   *
   * @param extras the text behind the URL
   * @param answer notes the answer at the request
   */
  UrlQuestion(
      LoopServices services,
      Helper helper,
      LogFormat extras,
      BiConsumer<Request, HelperReply> answer) {
    this.services = services;
    this.helper = helper;
    this.extras = extras;
    this.answer = answer;
  }

  @Override
  public void ask(Request request, Consumer<Runnable> then) {
    ask(request, then, cancel -> {});
  }

  @Override
  public void ask(Request request, Consumer<Runnable> then, Consumer<Runnable> whenGone) {
    HelperQuestion question =
        helper.ask(
            text(request),
            services.timer.loop(),
            reply -> then.accept(() -> answer.accept(request, reply)));
    whenGone.accept(question::cancel);
  }

  private byte[] text(Request request) {
    request.record().endMillis = services.clock.millis(); // for codes of time
    byte[] more = extras.bytes(request.record());
    byte[] url = request.url().getBytes(ISO_8859_1);
    byte[] all = new byte[url.length + 1 + more.length];
    System.arraycopy(url, 0, all, 0, url.length);
    all[url.length] = ' ';
    System.arraycopy(more, 0, all, url.length + 1, more.length);
    return all;
  }
}
