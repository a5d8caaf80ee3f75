package io.loligo.server.exchange.slice;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.Stage;

/**
 * Combines the records of the requests for slices into the record of the client's request. Tag, hit
 * class come from the first slice that was fetched; if all were stored, from the first that was on
 * disk; otherwise from the first slice. Stages come from the first slice. Bytes are sums.
 * Stateless.
 */
final class SliceRecords {
  private SliceRecords() {}

  /** Returns a record for a slice of the response to {@code client}. */
  static ExchangeRecord begin(ExchangeRecord client) {
    ExchangeRecord record = new ExchangeRecord();
    record.client = client.client;
    record.clientText = client.clientText;
    record.local = client.local;
    record.portName = client.portName;
    record.startMillis = client.startMillis;
    record.startNanos = client.startNanos;
    record.startLap(client.lapNanos());
    record.takeIdOf(client);
    return record;
  }

  /** Whether the response came from the store. */
  static boolean isHit(ExchangeRecord record) {
    return rank(record.hitClass) < rank(HitClass.MISS);
  }

  private static int rank(HitClass hitClass) {
    return switch (hitClass) {
      case MEMORY_HIT, IMS_HIT, NOT_MODIFIED_HIT, NEGATIVE_HIT -> 0;
      case DISK_HIT -> 1;
      default -> 2;
    };
  }

  /**
   * Adds the facts of {@code slice} to {@code client}.
   *
   * @param first whether this is the first slice of which the client gets content
   */
  static void add(ExchangeRecord client, ExchangeRecord slice, boolean first) {
    addTraffic(client, slice);
    if (first || rank(slice.hitClass) > rank(client.hitClass)) {
      describe(client, slice);
    }
    if (first) {
      copyStages(client, slice);
    }
    addStage(client, slice, Stage.DISK_REST, first);
  }

  /** Adds the bytes transferred for {@code slice} to {@code client}. */
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
    client.fetchedBy = slice.fetchedBy;
    client.hierarchy = slice.hierarchy;
    client.peersTimedOut |= slice.peersTimedOut;
    client.nextHop = slice.nextHop;
    client.nextHopPort = slice.nextHopPort;
    client.peerName = slice.peerName;
    client.nextHopLocal = slice.nextHopLocal;
    client.nextHopTrafficClass = slice.nextHopTrafficClass;
    client.nextHopMark = slice.nextHopMark;
    client.attempts = slice.attempts;
    client.serverStatus = slice.serverStatus;
    client.contentType = slice.contentType;
    client.leftFetch = slice.leftFetch;
    client.refusal = slice.refusal;
    client.reply = slice.reply;
    client.errorCode = slice.errorCode;
    client.errorDetail = slice.errorDetail;
    client.shed = slice.shed;
    client.rule = slice.rule == null ? client.rule : slice.rule;
  }

  /** The stages before the response's first byte: later slices are fetched during the reply. */
  private static void copyStages(ExchangeRecord client, ExchangeRecord slice) {
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
