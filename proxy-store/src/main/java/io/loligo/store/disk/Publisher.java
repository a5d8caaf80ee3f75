package io.loligo.store.disk;

import java.io.IOException;

/**
 * Makes objects known that are written, and strikes out what is not wanted any more and what is
 * displaced. Thread-safe: disk threads.
 */
final class Publisher {
  private final Catalogue catalogue;
  private final Unsettled unsettled;
  private final Dropping dropping;
  private final Blocks blocks;
  private final Space space;

  Publisher(
      Catalogue catalogue, Unsettled unsettled, Dropping dropping, Blocks blocks, Space space) {
    this.catalogue = catalogue;
    this.unsettled = unsettled;
    this.dropping = dropping;
    this.blocks = blocks;
    this.space = space;
  }

  /** Writes a first block, sealed, and makes it known, or strikes it out: one change. */
  Writer.Outcome publish(Publication publication) throws IOException {
    return unsettled.change(
        FirstBlock.high(publication.block()),
        () -> {
          if (!publication.isWanted(catalogue)) {
            return Writer.Outcome.CANCELLED;
          }
          blocks.write(publication.place(), publication.block());
          return makeKnown(publication);
        });
  }

  /** Makes known what is written, or strikes it out, in a change. */
  Writer.Outcome makeKnown(Publication publication) throws IOException {
    Catalogue.Published published = publication.to(catalogue);
    if (published == Catalogue.Published.NO_RECORD && space.makeSlots()) {
      published = publication.to(catalogue);
    }
    dropping.strike(publication.displaced());
    if (published == Catalogue.Published.DONE) {
      return Writer.Outcome.WRITTEN;
    }
    blocks.strike(publication.place());
    return published == Catalogue.Published.NO_RECORD
        ? Writer.Outcome.NO_SPACE
        : Writer.Outcome.CANCELLED;
  }
}
