package io.loligo.server.explain;

import io.loligo.core.caching.CacheDecision;
import io.loligo.core.caching.CacheDecision.Outcome;
import io.loligo.core.caching.CacheReason;
import io.loligo.core.message.Method;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.ExchangeSink;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.RequestId;
import io.loligo.server.record.Stage;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The last decisions of one event loop, found by the hash of their key. Confined to that loop.
 *
 * <p>{@value #SETS} rings of {@value #WAYS}, the hash chooses the ring: a busy URL evicts its own
 * past and that of few others. It keeps only numbers and the proxy's own words of a request, and
 * ids of trusted clients, so there is nothing to hide; writing is a few lines of the processor's
 * cache, without allocation.
 */
public final class RecentDecisions implements ExchangeSink {
  static final int SETS = 512;
  static final int WAYS = 8;

  private static final int HIGH = 0;
  private static final int LOW = 1;
  private static final int END = 2;
  private static final int AGE = 3;
  private static final int LIFETIME = 4;

  /** The number of the exchange, the status of the next hop, and the status sent. */
  private static final int NUMBER = 5;

  private static final int STATUS_BITS = 10;
  private static final int STATUS_MASK = (1 << STATUS_BITS) - 1;

  private static final int CODES = 6;
  private static final int WORDS = 8;

  private static final int NO_DECISION = 0xff;
  private static final int COLLAPSED = 1;
  private static final int FROM_DISK = 1 << 1;
  private static final int ABORTED = 1 << 2;

  private static final Stage[] STAGES = Stage.values();
  private static final LogTag[] TAGS = LogTag.values();
  private static final Outcome[] OUTCOMES = Outcome.values();
  private static final CacheReason[] REASONS = CacheReason.values();

  private final long[] cells = new long[SETS * WAYS * WORDS];

  /** Microseconds of each stage; -1: it did not occur. */
  private final int[] stageMicros = new int[SETS * WAYS * STAGES.length];

  private final @Nullable String[] refusals = new @Nullable String[SETS * WAYS];
  private final @Nullable String[] givenIds = new @Nullable String[SETS * WAYS];
  private final byte[] nextWay = new byte[SETS];

  /** The same for all exchanges of the loop. */
  private long idPrefix;

  @Override
  public void finished(ExchangeRecord record) {
    if ((record.keyHigh | record.keyLow) == 0) {
      return; // it never had a key
    }
    int set = set(record.keyHigh);
    int way = nextWay[set];
    nextWay[set] = (byte) ((way + 1) % WAYS);
    int at = (set * WAYS + way) * WORDS;
    CacheDecision decision = record.decision;
    cells[at + HIGH] = record.keyHigh;
    cells[at + LOW] = record.keyLow;
    cells[at + END] = record.endMillis;
    cells[at + AGE] = decision == null ? -1 : decision.ageSeconds();
    cells[at + LIFETIME] = decision == null ? -1 : decision.lifetimeSeconds();
    cells[at + NUMBER] =
        (record.number << STATUS_BITS | (record.serverStatus & STATUS_MASK)) << STATUS_BITS
            | (record.status & STATUS_MASK);
    cells[at + CODES] = codes(record, decision);
    refusals[at / WORDS] = record.refusal;
    givenIds[at / WORDS] = record.givenId;
    idPrefix = record.idPrefix;
    int first = at / WORDS * STAGES.length;
    for (Stage stage : STAGES) {
      stageMicros[first + stage.ordinal()] =
          (int) Math.min(record.stageMicros(stage), Integer.MAX_VALUE);
    }
  }

  private static long codes(ExchangeRecord record, @Nullable CacheDecision decision) {
    int flags =
        (record.collapsed ? COLLAPSED : 0)
            | (record.fromDisk ? FROM_DISK : 0)
            | (record.aborted ? ABORTED : 0);
    int method = record.request == null ? Method.OTHER : record.request.methodId();
    int outcome = decision == null ? NO_DECISION : decision.outcome().ordinal();
    int reason = decision == null ? NO_DECISION : decision.reason().ordinal();
    return (long) flags << 32 | method << 24 | outcome << 16 | reason << 8 | record.tag.ordinal();
  }

  private static int set(long high) {
    return (int) (high >>> 32) & (SETS - 1);
  }

  /** The remembered decisions for the key with this hash, in no order. A new list. */
  public List<PastDecision> of(long high, long low) {
    List<PastDecision> found = new ArrayList<>(WAYS);
    int first = set(high) * WAYS * WORDS;
    for (int at = first; at < first + WAYS * WORDS; at += WORDS) {
      if (cells[at + HIGH] == high && cells[at + LOW] == low && (high | low) != 0) {
        found.add(at(at));
      }
    }
    return found;
  }

  private Map<Stage, Integer> stages(int place) {
    Map<Stage, Integer> found = new EnumMap<>(Stage.class);
    for (Stage stage : STAGES) {
      int micros = stageMicros[place * STAGES.length + stage.ordinal()];
      if (micros >= 0) {
        found.put(stage, micros);
      }
    }
    return found;
  }

  private PastDecision at(int at) {
    int codes = (int) cells[at + CODES];
    int flags = (int) (cells[at + CODES] >>> 32);
    int outcome = codes >>> 16 & 0xff;
    return PastDecision.of(TAGS[codes & 0xff])
        .endMillis(cells[at + END])
        .method(Method.text(codes >>> 24))
        .status((int) cells[at + NUMBER] & STATUS_MASK)
        .serverStatus((int) (cells[at + NUMBER] >>> STATUS_BITS) & STATUS_MASK)
        .decision(
            outcome == NO_DECISION
                ? null
                : new CacheDecision(
                    OUTCOMES[outcome],
                    REASONS[codes >>> 8 & 0xff],
                    cells[at + AGE],
                    cells[at + LIFETIME]))
        .stageMicros(stages(at / WORDS))
        .collapsed((flags & COLLAPSED) != 0)
        .fromDisk((flags & FROM_DISK) != 0)
        .aborted((flags & ABORTED) != 0)
        .notStored(refusals[at / WORDS])
        .requestId(id(at))
        .build();
  }

  private @Nullable String id(int at) {
    String given = givenIds[at / WORDS];
    long number = cells[at + NUMBER] >>> (2 * STATUS_BITS);
    return given != null || number == 0 ? given : RequestId.text(idPrefix, number);
  }
}
