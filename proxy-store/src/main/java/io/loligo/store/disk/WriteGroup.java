package io.loligo.store.disk;

import io.loligo.store.admission.Lane;
import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Objects of one small block each, that stand one behind the other and are written together: what a
 * small write costs is the call, and the pages it shares with its neighbours. Each is published as
 * if it had been written alone. Confined to one disk thread.
 */
final class WriteGroup implements AutoCloseable {
  /** Octets written together at most. */
  static final int BYTES = 64 << 10;

  /** Octets of a block that is written with others, at most. */
  static final int MAX_BLOCK_BYTES = BYTES / 4;

  /** As many are done in a turn: reads wait for the thread meanwhile. */
  static final int MAX_BLOCKS = 32;

  /** One of them. */
  private record Member(Write write, Publication publication) {
    long high() {
      return FirstBlock.high(publication.block());
    }
  }

  private final Catalogue catalogue;
  private final Unsettled unsettled;
  private final Blocks blocks;
  private final Space space;
  private final Publisher publisher;
  private final List<Member> members = new ArrayList<>();

  /** Blocks, padded; null before the first. */
  private ByteBuf octets;

  /** Where the first of them stands. */
  private long place;

  /** Octets of {@link #octets}. */
  private final int room;

  /**
   * @param blockBytes octets of all blocks that may come, at least
   */
  WriteGroup(
      Catalogue catalogue,
      Unsettled unsettled,
      Blocks blocks,
      Space space,
      Publisher publisher,
      long blockBytes) {
    this.room = (int) Math.min(BYTES, blockBytes);
    this.catalogue = catalogue;
    this.unsettled = unsettled;
    this.blocks = blocks;
    this.space = space;
    this.publisher = publisher;
  }

  /** Writes a block. */
  interface Content {
    /** Writes all of it to {@code block}, which has room for it, but does not seal it. */
    void writeTo(ByteBuf block);
  }

  /**
   * {@code write} is done with the others, by {@link #flush} at the latest; false where there is no
   * space.
   *
   * @param length of its block
   */
  boolean add(Write write, Lane lane, Layout layout, int length, Content content)
      throws IOException {
    int bytes = Block.aligned(length);
    Extent extent = space.allocate(bytes, lane, 0);
    if (extent == null) {
      return false;
    }
    boolean added = false;
    try {
      ByteBuf block = room(extent);
      content.writeTo(block);
      Block.seal(block, extent.lane().ordinal(), extent.generation());
      members.add(
          new Member(
              write,
              new Publication(block, extent.place(), extent.lane(), Stored.NO_PIECES, layout)
                  .alone(write.entry().meta().vary() == null)
                  .onlyWhereAbsent(write.late())
                  .unless(write.cancelled())));
      octets.writerIndex(octets.writerIndex() + length).writeZero(bytes - length);
      added = true;
    } finally {
      if (!added) {
        catalogue.unpin(extent.place());
      }
    }
    return true;
  }

  /** Room for a block at {@code extent}, behind the others where it stands there. Borrowed. */
  private ByteBuf room(Extent extent) {
    boolean joins =
        !members.isEmpty()
            && extent.place() == place + octets.writerIndex()
            && extent.bytes() <= octets.writableBytes();
    if (!joins) {
      flush();
      place = extent.place();
      if (octets == null) {
        octets = blocks.buffer(room);
      }
      octets.clear();
    }
    return octets.slice(octets.writerIndex(), extent.bytes());
  }

  /** Writes what was added, and tells each what became of it. */
  void flush() {
    List<Unsettled.Change> changes = new ArrayList<>(members.size());
    try {
      for (Member member : members) {
        changes.add(unsettled.begin(member.high()));
      }
      writeWanted();
      for (Member member : members) {
        if (member.write().outcome() == null) {
          makeKnown(member);
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      members.forEach(member -> member.write().failed(e));
    } finally {
      for (int i = 0; i < changes.size(); i++) {
        unsettled.end(changes.get(i), members.get(i).write().failure());
      }
      members.forEach(member -> catalogue.unpin(member.publication().place()));
      members.clear();
    }
  }

  /** All in one; what is not wanted any more is no block there. */
  private void writeWanted() throws IOException {
    int wanted = 0;
    for (Member member : members) {
      if (member.publication().isWanted(catalogue)) {
        wanted++;
      } else {
        member.write().ended(Writer.Outcome.CANCELLED);
        Block.strike(member.publication().block());
      }
    }
    if (wanted > 0) {
      blocks.write(place, octets);
    }
  }

  private void makeKnown(Member member) {
    try {
      member.write().ended(publisher.makeKnown(member.publication()));
    } catch (IOException | RuntimeException | Error e) {
      member.write().failed(e);
    }
  }

  /** Writes what was added. */
  @Override
  public void close() {
    flush();
    if (octets != null) {
      octets.release();
      octets = null;
    }
  }
}
