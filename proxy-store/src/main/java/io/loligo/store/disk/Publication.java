package io.loligo.store.disk;

import io.loligo.store.admission.Lane;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** An object that was written, on its way into the catalogue. Confined to one thread. */
final class Publication {
  private final ByteBuf block;
  private final long place;
  private final Lane lane;
  private final long[] pieces;
  private final Layout layout;
  private final List<Stored> displaced = new ArrayList<>();
  private Stored moved;
  private boolean alone;
  private boolean onlyWhereAbsent;
  private BooleanSupplier cancelled = () -> false;

  /** Borrows {@code block}, sealed, which stands at {@code place}. */
  Publication(ByteBuf block, long place, Lane lane, long[] pieces, Layout layout) {
    this.block = block;
    this.place = place;
    this.lane = lane;
    this.pieces = pieces;
    this.layout = layout;
  }

  /** Only if {@code before} still stands where it did. */
  Publication moved(Stored before) {
    moved = before;
    return this;
  }

  /** No other variant stays beside it. */
  Publication alone(boolean alone) {
    this.alone = alone;
    return this;
  }

  /** Only if nothing is stored that it would take the place of. */
  Publication onlyWhereAbsent(boolean onlyWhereAbsent) {
    this.onlyWhereAbsent = onlyWhereAbsent;
    return this;
  }

  /** Unless {@code cancelled}; asked under the catalogue's lock. */
  Publication unless(BooleanSupplier cancelled) {
    this.cancelled = cancelled;
    return this;
  }

  ByteBuf block() {
    return block;
  }

  long place() {
    return place;
  }

  Lane lane() {
    return lane;
  }

  long[] pieces() {
    return pieces;
  }

  Layout layout() {
    return layout;
  }

  Stored moved() {
    return moved;
  }

  boolean alone() {
    return alone;
  }

  boolean isOnlyWhereAbsent() {
    return onlyWhereAbsent;
  }

  boolean cancelled() {
    return cancelled.getAsBoolean();
  }

  /** Whether it may be published by what is known now: what is removed later waits for it. */
  boolean isWanted(Catalogue catalogue) {
    return !cancelled() && (moved == null || catalogue.isStill(moved));
  }

  /** What was there before, pinned: its owner strikes it out and unpins it. */
  List<Stored> displaced() {
    return displaced;
  }

  Catalogue.Published to(Catalogue catalogue) throws IOException {
    return catalogue.publish(this, Blocks.record());
  }
}
