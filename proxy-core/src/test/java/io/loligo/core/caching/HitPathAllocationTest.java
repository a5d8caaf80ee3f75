package io.loligo.core.caching;

import static io.loligo.core.caching.Responses.NOW;
import static io.loligo.core.caching.Responses.URL;
import static io.loligo.core.caching.Responses.stored;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("the allocation of a hit")
class HitPathAllocationTest {
  private static final int ROUNDS = 20_000;
  private static final long NOISE_BYTES = 64 * 1024;
  private static final long DECISION_BYTES = 40;

  private final StoredMeta meta = stored("Cache-Control: max-age=60", "ETag: \"a\"");
  private final RequestHead request =
      Heads.get("Host: origin.example", "Accept-Encoding: gzip, br", "User-Agent: x");

  @Test
  void decisionIsTheOnlyObject() {
    long bytes =
        allocated(
            () ->
                Reuse.decide(NOW, request, false, meta, true, URL, CachingDefaults.DEFAULT)
                    .ageSeconds());
    assertThat(bytes).isLessThanOrEqualTo(ROUNDS * DECISION_BYTES + NOISE_BYTES);
  }

  @Test
  void missesShareTheirDecision() {
    long bytes =
        allocated(
            () ->
                Reuse.decide(NOW, request, false, null, true, URL, CachingDefaults.DEFAULT)
                    .ageSeconds());
    assertThat(bytes).isLessThanOrEqualTo(NOISE_BYTES);
  }

  @Test
  void keyIsSealedWithoutAnObject() {
    KeyProbe probe = new KeyProbe();
    byte[] path = {'/', 'a'};
    long bytes =
        allocated(() -> CacheKeys.seal(probe, "http", "origin.example", 8080, path, 0, 2).high());
    assertThat(bytes).isLessThanOrEqualTo(NOISE_BYTES);
  }

  @Test
  void variantIsComparedWithoutAnObject() {
    Fields response = Heads.fields("Vary: Accept-Encoding, User-Agent, X-Device");
    VarySelection selection = VarySelection.of(false, request.fields(), response);
    long bytes = allocated(() -> selection.matches(request.fields()) ? 1 : 0);
    assertThat(bytes).isLessThanOrEqualTo(NOISE_BYTES);
  }

  @Test
  void conditionIsEvaluatedWithoutAnObject() {
    Fields conditional = Heads.fields("If-None-Match: \"b\", \"a\"");
    long bytes = allocated(() -> Preconditions.evaluate(conditional, meta).ordinal());
    assertThat(bytes).isLessThanOrEqualTo(NOISE_BYTES);
  }

  @Test
  void cacheStatusAndDateAreWrittenWithoutAnObject() {
    FieldLines lines = new FieldLines(256);
    CacheDecision decision =
        new CacheDecision(CacheDecision.Outcome.SERVE, CacheReason.FRESH, 10, 60);
    long bytes =
        allocated(
            () -> {
              CacheStatus.appendHit(lines.clear(), "proxy.example", decision, false, null);
              return HttpDate.append(lines, NOW).length();
            });
    assertThat(bytes).isLessThanOrEqualTo(NOISE_BYTES);
  }

  /** Bytes allocated by this thread in {@link #ROUNDS} rounds, after as many to warm up. */
  private static long allocated(Work work) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long sum = run(work);
    long before = threads.getCurrentThreadAllocatedBytes();
    sum += run(work);
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(sum).isNotEqualTo(Long.MIN_VALUE);
    return bytes;
  }

  private static long run(Work work) {
    long sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
      sum += work.run();
    }
    return sum;
  }

  private interface Work {
    long run();
  }
}
