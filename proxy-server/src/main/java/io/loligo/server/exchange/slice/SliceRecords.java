package io.loligo.server.exchange.slice;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.Stage;

/**
 * Makes the record of a client's request of those of the requests for its slices. Its tag, class
 * and stages are those of the first slice that was not in memory, or on disk, where all before it
 * were; bytes are those of all. Stateless.
 */
final class SliceRecords {
  private SliceRecords() {}

  /** A record for a slice of what {@code client} asked for. */
  static ExchangeRecord begin(ExchangeRecord client) {
    ExchangeRecord record = new ExchangeRecord();
    record.client = client.client;
    record.clientText = client.clientText;
    record.local = client.local;
    record.portName = client.portName;
    record.startMillis = client.startMillis;
    record.startNanos = client.startNanos;
    record.connectionId = client.connectionId;
    record.stage(Stage.ACL, client.stage(Stage.ACL));
    return record;
  }

  /** Whether it was answered from the store. */
  static boolean isHit(ExchangeRecord record) {
    return rank(record.hitClass) < rank(HitClass.MISS);
  }

  private static int rank(HitClass hitClass) {
    return switch (hitClass) {
      case MEMORY_HIT, IMS_HIT, NOT_MODIFIED_HIT, NEGATIVE_HIT -> 0;
      case DISK_HIT -> 1;
      case REVALIDATED, MISS, TUNNEL, OWN_ANSWER -> 2;
    };
  }

  /**
   * Adds what is known of {@code slice} to {@code client}.
   *
   * @param first whether it is the first that the client gets any of
   */
  static void add(ExchangeRecord client, ExchangeRecord slice, boolean first) {
    addTraffic(client, slice);
    if (first || rank(slice.hitClass) > rank(client.hitClass)) {
      describe(client, slice);
    }
    addStage(client, slice, Stage.DISK_REST, first);
  }

  /** Adds what was moved for {@code slice}. */
  static void addTraffic(ExchangeRecord client, ExchangeRecord slice) {
    client.serverBytesIn += slice.serverBytesIn;
    client.serverBytesOut += slice.serverBytesOut;
    if (slice.serverContentBytesIn >= 0) {
      client.serverContentBytesIn =
          Math.max(0, client.serverContentBytesIn) + slice.serverContentBytesIn;
    }
    client.diskLate |= slice.diskLate;
  }

  private static void describe(ExchangeRecord client, ExchangeRecord slice) {
    client.tag = slice.tag;
    client.hitClass = slice.hitClass;
    client.decision = slice.decision;
    client.fromDisk = slice.fromDisk;
    client.collapsed = slice.collapsed;
    client.hierarchy = slice.hierarchy;
    client.nextHop = slice.nextHop;
    client.nextHopPort = slice.nextHopPort;
    client.nextHopLocal = slice.nextHopLocal;
    client.attempts = slice.attempts;
    client.serverStatus = slice.serverStatus;
    client.contentType = slice.contentType;
    client.refusal = slice.refusal;
    client.reply = slice.reply;
    client.errorCode = slice.errorCode;
    client.errorDetail = slice.errorDetail;
    client.shed = slice.shed;
    for (Stage stage : Stage.values()) {
      if (stage != Stage.ACL && stage != Stage.LOOKUP && stage != Stage.DISK_REST) {
        copy(client, slice, stage);
      }
    }
  }

  private static void copy(ExchangeRecord client, ExchangeRecord slice, Stage stage) {
    if (slice.stage(stage) >= 0) {
      client.stage(stage, slice.stage(stage));
    }
  }

  private static void addStage(
      ExchangeRecord client, ExchangeRecord slice, Stage stage, boolean first) {
    if (slice.stage(stage) >= 0) {
      long before = first ? 0 : Math.max(0, client.stage(stage));
      client.stage(stage, before + slice.stage(stage));
    }
  }
}
