package io.loligo.server.boot;

import io.loligo.server.explain.Explanation;
import io.loligo.server.explain.PastDecision;
import io.loligo.server.explain.Question;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * Asks one loop for the decision on a request, and all loops for their last decisions. Stateless.
 */
final class Explainer {
  private static final int MAX_PAST = 16;

  private Explainer() {}

  /** Completes on an event loop; never if that one has ended. */
  static CompletableFuture<Explanation> explain(List<Loop> loops, Question question) {
    Loop one = loops.get(0);
    CompletableFuture<Explanation> explained = new CompletableFuture<>();
    one.eventLoop()
        .execute(
            () -> {
              try {
                one.exchanges().explain(question, one.eventLoop(), explained::complete);
              } catch (RuntimeException e) {
                explained.completeExceptionally(e);
              }
            });
    return explained.thenCompose(explanation -> withPast(loops, explanation));
  }

  private static CompletableFuture<Explanation> withPast(
      List<Loop> loops, Explanation explanation) {
    if (explanation.key() == null) {
      return CompletableFuture.completedFuture(explanation);
    }
    long high = explanation.key().high();
    long low = explanation.key().low();
    CompletableFuture<List<PastDecision>> past =
        CompletableFuture.completedFuture(new ArrayList<>());
    for (Loop loop : loops) {
      past =
          past.thenCombine(
              on(loop.eventLoop(), () -> loop.decisions().of(high, low)),
              (all, more) -> {
                all.addAll(more);
                return all;
              });
    }
    return past.thenApply(
        all -> {
          all.sort(Comparator.comparingLong(PastDecision::endMillis).reversed());
          return explanation.withRecent(all.subList(0, Math.min(MAX_PAST, all.size())));
        });
  }

  private static <T> CompletableFuture<T> on(EventExecutor loop, Supplier<T> question) {
    return CompletableFuture.supplyAsync(question, loop);
  }
}
