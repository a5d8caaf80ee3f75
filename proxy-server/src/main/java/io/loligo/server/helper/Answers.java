package io.loligo.server.helper;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The answers of one program, kept by question. Equal questions are asked once at a time.
 * Thread-safe: any thread; looking up takes no lock.
 *
 * <p>An answer counts {@value #ENTRY_BYTES} bytes, or its own size if that is more. All of them
 * have room for as many such answers as {@link AnswerTerms#entries} says.
 */
public final class Answers {
  /** The least bytes of an answer in the account. */
  static final int ENTRY_BYTES = 256;

  private final AnswerTerms terms;
  private final Helper helper;
  private final LongSupplier nanos;
  private final @Nullable Cache<String, Kept> kept;

  /** The questions under way. Guarded by itself. */
  private final Map<String, Pending> pending = new HashMap<>();

  private record Kept(HelperReply reply, long sinceNanos) {
    int bytes(String question) {
      int bytes = 2 * question.length() + reply.rest().length();
      for (HelperPair pair : reply.pairs()) {
        bytes += 64 + pair.key().length() + pair.value().length();
      }
      return Math.max(ENTRY_BYTES, bytes);
    }
  }

  private record Waiter(Executor on, Consumer<HelperReply> then) {}

  private static final class Pending {
    final List<Waiter> waiters = new ArrayList<>(1);
    @Nullable HelperQuestion question;
  }

  Answers(AnswerTerms terms, Helper helper, LongSupplier nanos) {
    this.terms = terms;
    this.helper = helper;
    this.nanos = nanos;
    kept =
        terms.entries() == 0
            ? null
            : Caffeine.newBuilder()
                .maximumWeight((long) terms.entries() * ENTRY_BYTES)
                .weigher((String question, Kept one) -> one.bytes(question))
                .executor(Runnable::run)
                .build();
  }

  /**
   * The answer to {@code question} that counts now, or null. Near the end of its time, the program
   * is asked again meanwhile.
   */
  public @Nullable HelperReply known(String question) {
    Kept one = kept == null ? null : kept.getIfPresent(question);
    if (one == null) {
      return null;
    }
    long age = nanos.getAsLong() - one.sinceNanos;
    long lifetime = lifetimeNanos(one.reply);
    if (age > lifetime) {
      return null;
    }
    if (age >= lifetime / 100 * (100 - terms.gracePercent()) && terms.gracePercent() > 0) {
      synchronized (pending) {
        if (!pending.containsKey(question) && !helper.wouldOverload()) {
          begin(question, new Pending());
        }
      }
    }
    return one.reply;
  }

  private long lifetimeNanos(HelperReply reply) {
    boolean ok = reply.result() == HelperResult.OK;
    return TimeUnit.SECONDS.toNanos(ok ? terms.okSeconds() : terms.errSeconds());
  }

  /**
   * Asks the program, or waits for its answer to an equal question. If too many questions wait
   * already, an old answer counts, else {@link HelperResult#REFUSED}.
   *
   * @param on runs {@code then}, once, unless the returned task has run before
   * @return cancels the wait
   */
  public Runnable ask(String question, Executor on, Consumer<HelperReply> then) {
    Waiter waiter = new Waiter(on, then);
    if (kept == null) {
      return helper.ask(question.getBytes(ISO_8859_1), on, then)::cancel;
    }
    synchronized (pending) {
      Pending asked = pending.get(question);
      if (asked == null && helper.wouldOverload()) {
        Kept old = kept.getIfPresent(question);
        tell(waiter, old == null ? HelperReply.of(HelperResult.REFUSED) : old.reply);
        return () -> {};
      }
      if (asked == null) {
        asked = new Pending();
        asked.waiters.add(waiter);
        begin(question, asked);
      } else {
        asked.waiters.add(waiter);
      }
      Pending joined = asked;
      return () -> leave(question, joined, waiter);
    }
  }

  private void begin(String question, Pending asked) {
    pending.put(question, asked);
    asked.question =
        helper.ask(
            question.getBytes(ISO_8859_1),
            Runnable::run,
            reply -> answered(question, asked, reply));
  }

  private void leave(String question, Pending asked, Waiter waiter) {
    synchronized (pending) {
      asked.waiters.remove(waiter);
      if (asked.waiters.isEmpty() && asked.question != null && pending.remove(question, asked)) {
        asked.question.cancel();
      }
    }
  }

  private void answered(String question, Pending asked, HelperReply reply) {
    List<Waiter> waiters;
    synchronized (pending) {
      pending.remove(question, asked);
      waiters = List.copyOf(asked.waiters);
    }
    keep(question, reply);
    for (Waiter waiter : waiters) {
      tell(waiter, reply);
    }
  }

  private void keep(String question, HelperReply reply) {
    if (kept == null) {
      return;
    }
    if (reply.result().isAnswer() && lifetimeNanos(reply) > 0) {
      kept.put(question, new Kept(reply, nanos.getAsLong()));
    } else if (!reply.result().isFailure()) {
      kept.invalidate(question);
    }
  }

  private static void tell(Waiter waiter, HelperReply reply) {
    try {
      waiter.on.execute(() -> waiter.then.accept(reply));
    } catch (RejectedExecutionException ended) {
      // its loop has ended, and so has the request
    }
  }
}
