package io.loligo.server.exchange.client;

import io.loligo.core.caching.HiddenFields;
import io.loligo.core.caching.StoredMeta;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.FieldSet;
import io.loligo.core.message.Fields;
import io.loligo.core.message.HopByHop;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.time.LoopClock;
import io.loligo.store.memory.Entry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;

/**
 * Parts an origin's response head into what is the same for every client (the block that is stored
 * and shared) and what each answer gets of its own: Age, and the lists to which every cache on the
 * way adds. Stateless.
 */
public final class ReplyFields {
  /** Framing is the connection's; lists are extended in order, see below. */
  private static final FieldSet NOT_SHARED =
      HiddenFields.FIELDS.and(
          FieldName.CONTENT_LENGTH, FieldName.TRANSFER_ENCODING, FieldName.TRAILER);

  /** Lists to which every cache on the way adds, nearest to the origin first. */
  public static final FieldSet EXTENDED_LISTS = FieldSet.of(FieldName.VIA, FieldName.CACHE_STATUS);

  private ReplyFields() {}

  /**
   * The shared lines and the empty line. Returns owned.
   *
   * @param storing whether fields that are for caches only are part of them, in front; see {@link
   *     HiddenFields}
   * @param withheld names, in lower case, of what is not part of them; {@link #addWithheld} gives
   *     it to the one client it was meant for
   * @param dateMillis for a Date line where the origin sent none
   * @param lines scratch, empty
   */
  public static ByteBuf shared(
      ResponseHead head,
      boolean storing,
      List<String> withheld,
      LoopClock clock,
      long dateMillis,
      FieldLines lines,
      ByteBufAllocator allocator) {
    Fields fields = head.fields();
    HopByHop hopByHop = HopByHop.of(fields);
    if (storing && fields.hasAny(HiddenFields.FIELDS)) {
      addHidden(fields, hopByHop, lines);
    }
    if (!fields.has(FieldName.DATE)) {
      clock.addDate(lines, dateMillis);
    }
    // stored as one of the whole: its place is told to each client anew
    boolean part = storing && head.status() == 206;
    Collection<String> names = searchable(withheld);
    for (int i = 0; i < fields.count(); i++) {
      boolean place = part && fields.id(i) == FieldName.CONTENT_RANGE;
      if (!place && isPassedOn(fields, hopByHop, i) && !isNamed(fields, i, names)) {
        lines.add(fields, i);
      }
    }
    lines.endLine();
    ByteBuf block = allocator.directBuffer(lines.length());
    lines.writeTo(block);
    return block;
  }

  private static void addHidden(Fields fields, HopByHop hopByHop, FieldLines lines) {
    for (int i = 0; i < fields.count(); i++) {
      if (HiddenFields.contains(fields.id(i)) && !hopByHop.drops(fields, i)) {
        lines.add(fields, i);
      }
    }
  }

  /** Adds the lines of {@code head} that {@code withheld} names to {@code lines}, both borrowed. */
  public static void addWithheld(ResponseHead head, List<String> withheld, FieldLines lines) {
    if (withheld.isEmpty()) {
      return;
    }
    Fields fields = head.fields();
    HopByHop hopByHop = HopByHop.of(fields);
    Collection<String> names = searchable(withheld);
    for (int i = 0; i < fields.count(); i++) {
      if (isPassedOn(fields, hopByHop, i) && isNamed(fields, i, names)) {
        lines.add(fields, i);
      }
    }
  }

  /**
   * Those of {@code trailers}, borrowed and may be null, that readers get, over the same octets:
   * not what stays on the connection, nor what {@code withheld} names, for many may read along.
   *
   * @param head whose trailers they are, borrowed
   */
  public static Fields trailers(Fields trailers, ResponseHead head, List<String> withheld) {
    if (trailers == null || trailers.count() == 0) {
      return trailers;
    }
    HopByHop hopByHop = HopByHop.of(head.fields());
    Collection<String> names = searchable(withheld);
    return trailers.where(i -> !hopByHop.drops(trailers, i) && !isNamed(trailers, i, names));
  }

  private static boolean isPassedOn(Fields fields, HopByHop hopByHop, int i) {
    return !NOT_SHARED.has(fields.id(i)) && !hopByHop.drops(fields, i);
  }

  /** Where there may be thousands, they are not compared with each field. */
  private static Collection<String> searchable(List<String> names) {
    return names.size() > 1 ? new HashSet<>(names) : names;
  }

  private static boolean isNamed(Fields fields, int i, Collection<String> names) {
    return !names.isEmpty() && names.contains(fields.name(i).toLowerCase(Locale.ROOT));
  }

  /**
   * Rearranges an answer whose shared lines hold lists that ours extend: moves all of {@code
   * shared} in front of {@code own}. What remains to be sent of the block starts at its empty line.
   *
   * @param cookies whether Set-Cookie lines are among them
   */
  public static void putFirst(Fields shared, boolean cookies, FieldLines own) {
    putFirst(shared, cookies, /* known= */ false, own);
  }

  /**
   * The same.
   *
   * @param known whether the client has a part already, and with it what describes the
   *     representation
   */
  public static void putFirst(Fields shared, boolean cookies, boolean known, FieldLines own) {
    byte[] ours = own.toBytes();
    own.clear();
    for (int i = 0; i < shared.count(); i++) {
      if ((cookies || shared.id(i) != FieldName.SET_COOKIE) && !(known && isKnown(shared, i))) {
        own.add(shared, i);
      }
    }
    own.append(ours, 0, ours.length);
  }

  /**
   * Whether a 206 leaves out line {@code i} where the client has a part already (RFC 9110 section
   * 15.3.7). Without an entity tag the date tells that the parts belong together.
   */
  public static boolean isKnown(Fields shared, int i) {
    return switch (shared.id(i)) {
      case FieldName.CONTENT_TYPE, FieldName.CONTENT_ENCODING -> true;
      case FieldName.LAST_MODIFIED -> shared.has(FieldName.ETAG);
      default -> shared.nameEquals(i, "Content-Language");
    };
  }

  /** Whether the stored lines cannot be sent as they are, behind {@code own} ones. */
  public static boolean isRearranged(StoredMeta stored, boolean cookies) {
    return stored.has(StoredMeta.EXTENDS_LISTS) || (!cookies && stored.has(StoredMeta.SETS_COOKIE));
  }

  /** The same without those that no client gets. */
  public static byte[] visible(Entry entry) {
    int hidden = entry.hiddenLength();
    byte[] lines = new byte[entry.fieldsLength() - hidden];
    entry.firstBlock().getBytes(hidden, lines);
    return lines;
  }

  /** A new array: the lines and the empty line of {@code entry}, borrowed. */
  public static byte[] stored(Entry entry) {
    byte[] lines = new byte[entry.fieldsLength()];
    entry.firstBlock().getBytes(0, lines);
    return lines;
  }
}
