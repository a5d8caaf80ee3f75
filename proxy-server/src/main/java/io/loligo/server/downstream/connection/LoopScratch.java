package io.loligo.server.downstream.connection;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.RequestHead;
import io.loligo.server.record.ExchangeRecord;
import java.util.ArrayDeque;

/**
 * What the connections of one event loop share instead of each having its own: the array heads are
 * parsed in, a parser, and spare records. Confined to that loop. Nothing in it survives the call
 * that used it.
 */
public final class LoopScratch {
  private static final int SPARE_RECORDS = 256;

  /**
   * Few: each keeps the array of its last head, which a client may have made as long as it may be.
   */
  private static final int SPARE_PARSERS = 8;

  private static final int READ_AHEAD_BYTES = 4_096;

  private final ParseLimits limits;
  private final byte[] bytes;
  private final ArrayDeque<HeadParser> parsers = new ArrayDeque<>();
  private final ArrayDeque<ExchangeRecord> records = new ArrayDeque<>();

  /** Scratch for heads within {@code limits}. */
  public LoopScratch(ParseLimits limits) {
    this.limits = limits;
    this.bytes = new byte[limits.maxHeadBytes() + READ_AHEAD_BYTES];
  }

  /**
   * A parser with the head it fills: they belong together while a head is incomplete.
   *
   * @param parser reusable
   * @param head reusable
   * @param limits the parser keeps; after a reload others may be in force
   */
  public record HeadParser(Http1RequestParser parser, RequestHead head, ParseLimits limits) {}

  /** Limits the parsers keep. */
  public ParseLimits limits() {
    return limits;
  }

  /** The array to parse in: longer than any head within the limits. */
  public byte[] bytes() {
    return bytes;
  }

  /** A parser at its start; give it back when the head is done with. */
  public HeadParser takeParser() {
    HeadParser spare = parsers.pollLast();
    return spare != null
        ? spare
        : new HeadParser(new Http1RequestParser(limits), new RequestHead(), limits);
  }

  /** Gives a parser back. */
  public void giveParser(HeadParser spare) {
    spare.parser().reset();
    if (parsers.size() < SPARE_PARSERS && spare.limits().equals(limits)) {
      parsers.addLast(spare);
    }
  }

  /** A cleared record. */
  public ExchangeRecord takeRecord() {
    ExchangeRecord spare = records.pollLast();
    if (spare != null) {
      return spare;
    }
    ExchangeRecord record = new ExchangeRecord();
    record.clear();
    return record;
  }

  /** Clears a record and gives it back. */
  public void giveRecord(ExchangeRecord spare) {
    spare.clear();
    if (records.size() < SPARE_RECORDS) {
      records.addLast(spare);
    }
  }
}
