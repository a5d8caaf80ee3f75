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
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Splits the head of an origin's response into the lines that every client gets and the lines of
 * one response. The shared lines form the stored block. The lines of one response are Age and the
 * lists that every cache on the path extends. Stateless.
 */
public final class ReplyFields {
  /** Fields outside the shared lines. Framing belongs to the connection. */
  private static final FieldSet NOT_SHARED =
      HiddenFields.FIELDS.and(
          FieldName.CONTENT_LENGTH, FieldName.TRANSFER_ENCODING, FieldName.TRAILER);

  /** Lists that every cache on the path extends. The member nearest to the origin is first. */
  public static final FieldSet EXTENDED_LISTS = FieldSet.of(FieldName.VIA, FieldName.CACHE_STATUS);

  private ReplyFields() {}

  /**
   * Returns the shared lines and the empty line. Returns owned.
   *
   * @param storing whether the block starts with the fields that only caches see; see {@link
   *     HiddenFields}
   * @param withheld the names, in lower case, of fields that are left out; {@link #addWithheld}
   *     sends them to the one client they are meant for
   * @param dateMillis the time for a Date line if the origin sent none, in milliseconds since the
   *     epoch
   * @param lines an empty scratch buffer
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
    // a stored 206 counts as a part of the whole: each response states its own Content-Range
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

  /**
   * Appends the lines of {@code fields}, a whole head or a stored one, that no client gets: another
   * node of the cluster may store the response, or copy it, and needs them as this one does.
   */
  public static void addForNode(Fields fields, FieldLines lines) {
    if (!fields.hasAny(HiddenFields.FIELDS)) {
      return;
    }
    HopByHop hopByHop = HopByHop.of(fields);
    for (int i = 0; i < fields.count(); i++) {
      int id = fields.id(i);
      if (HiddenFields.contains(id) && id != FieldName.AGE && !hopByHop.drops(fields, i)) {
        lines.add(fields, i);
      }
    }
  }

  /** Appends the lines of {@code head}, borrowed, that {@code withheld} names to {@code lines}. */
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

  /** Appends the challenge of a 407 of a parent that gets the credentials of the client. */
  public static void addChallenge(ResponseHead head, FieldLines lines) {
    Fields fields = head.fields();
    int name = FieldName.PROXY_AUTHENTICATE;
    for (int i = fields.first(name); i >= 0; i = fields.next(name, i + 1)) {
      lines.add(fields, i);
    }
  }

  /**
   * The trailers that readers get; null if {@code trailers} is null. Hop-by-hop fields and the
   * fields that {@code withheld} names are left out, because many clients may share the fetch. The
   * result shares the bytes of {@code trailers}.
   *
   * @param trailers borrowed, may be null
   * @param head the head of the same response, borrowed
   */
  public static @Nullable Fields trailers(
      @Nullable Fields trailers, ResponseHead head, List<String> withheld) {
    if (trailers == null || trailers.count() == 0) {
      return trailers;
    }
    HopByHop hopByHop = HopByHop.of(head.fields());
    Collection<String> names = searchable(withheld);
    return trailers.where(i -> !hopByHop.drops(trailers, i) && !isNamed(trailers, i, names));
  }

  /**
   * The lines of an interim response: those of {@code head} without the fields that belong to its
   * connection or are for this cache, then {@code own}. Borrows both.
   */
  public static FieldLines interim(ResponseHead head, FieldLines own) {
    FieldLines lines = new FieldLines(head.end() + 64);
    Fields fields = head.fields();
    HopByHop hopByHop = HopByHop.of(fields);
    for (int i = 0; i < fields.count(); i++) {
      if (isPassedOn(fields, hopByHop, i)) {
        lines.add(fields, i);
      }
    }
    lines.append(own.toBytes(), 0, own.length());
    return lines;
  }

  private static boolean isPassedOn(Fields fields, HopByHop hopByHop, int i) {
    return !NOT_SHARED.has(fields.id(i)) && !hopByHop.drops(fields, i);
  }

  /** A set if there are several names: a response may withhold thousands. */
  private static Collection<String> searchable(List<String> names) {
    return names.size() > 1 ? new HashSet<>(names) : names;
  }

  private static boolean isNamed(Fields fields, int i, Collection<String> names) {
    return !names.isEmpty() && names.contains(fields.lowerName(i));
  }

  /**
   * Reorders the lines of a response whose shared lines contain lists that the proxy extends. Puts
   * all lines of {@code shared} before those of {@code own}. The rest of the block to send then
   * starts at its empty line.
   *
   * @param shared borrowed
   * @param cookies whether to include Set-Cookie
   */
  public static void putFirst(Fields shared, boolean cookies, FieldLines own) {
    putFirst(shared, cookies, /* known= */ false, own);
  }

  /**
   * As {@link #putFirst(Fields, boolean, FieldLines)}.
   *
   * @param known whether the client already has a part, and with it the fields that describe the
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
   * Whether a 206 omits line {@code i} because the client already has a part (RFC 9110 section
   * 15.3.7). Last-Modified stays if there is no entity tag, since it then shows that the parts
   * belong together.
   */
  public static boolean isKnown(Fields shared, int i) {
    return switch (shared.id(i)) {
      case FieldName.CONTENT_TYPE, FieldName.CONTENT_ENCODING -> true;
      case FieldName.LAST_MODIFIED -> shared.has(FieldName.ETAG);
      default -> shared.nameEquals(i, "Content-Language");
    };
  }

  /**
   * Whether the stored lines must be reordered or filtered before they are sent.
   *
   * @param cookies whether the client gets Set-Cookie
   */
  public static boolean isRearranged(StoredMeta stored, boolean cookies) {
    return stored.has(StoredMeta.EXTENDS_LISTS) || (!cookies && stored.has(StoredMeta.SETS_COOKIE));
  }
}
