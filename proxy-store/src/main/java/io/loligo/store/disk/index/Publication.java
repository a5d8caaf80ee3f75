package io.loligo.store.disk.index;

import io.loligo.store.disk.format.Layout;
import io.netty.buffer.ByteBuf;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** A first block in its buffer, on its way into the catalogue. Confined to one thread. */
public final class Publication {
  private final ByteBuf block;
  private final long place;
  private final long[] pieces;
  private final Layout layout;
  private @Nullable IndexedResponse moved;
  private boolean leavesOlder = true;
  private boolean alone;
  private boolean onlyWhereAbsent;
  private boolean part;
  private BooleanSupplier cancelled = () -> false;

  /** Borrows {@code block}, sealed, which stands at {@code place}. */
  public Publication(ByteBuf block, long place, long[] pieces, Layout layout) {
    this.block = block;
    this.place = place;
    this.pieces = pieces;
    this.layout = layout;
  }

  /** Only if {@code before} is still stored as it was; its readers continue. */
  public Publication moved(@Nullable IndexedResponse before) {
    moved = before;
    return this;
  }

  /** The response that it replaces is dropped together with its segment. */
  public Publication leavesNothing() {
    leavesOlder = false;
    return this;
  }

  /** No other variant stays beside it. */
  public Publication alone(boolean alone) {
    this.alone = alone;
    return this;
  }

  /** It is a part of a response; see {@link Catalogue}. */
  public Publication part(boolean part) {
    this.part = part;
    return this;
  }

  /** Only if no response is stored that it would replace. */
  public Publication onlyWhereAbsent(boolean onlyWhereAbsent) {
    this.onlyWhereAbsent = onlyWhereAbsent;
    return this;
  }

  /** Unless {@code cancelled}; called under the catalogue's lock. */
  public Publication unless(BooleanSupplier cancelled) {
    this.cancelled = cancelled;
    return this;
  }

  ByteBuf block() {
    return block;
  }

  long place() {
    return place;
  }

  long[] pieces() {
    return pieces;
  }

  Layout layout() {
    return layout;
  }

  @Nullable IndexedResponse moved() {
    return moved;
  }

  /** Whether the first block that it replaces, if any, is still on the disk. */
  boolean leavesOlder() {
    return leavesOlder;
  }

  boolean alone() {
    return alone;
  }

  boolean isPart() {
    return part;
  }

  boolean isOnlyWhereAbsent() {
    return onlyWhereAbsent;
  }

  boolean isCancelled() {
    return cancelled.getAsBoolean();
  }
}
