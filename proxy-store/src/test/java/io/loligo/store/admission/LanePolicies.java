package io.loligo.store.admission;

/** Simpler policies for the same engine, to show the value of each part of the real one. */
final class LanePolicies {
  private LanePolicies() {}

  /** One lane that turns round: objects requested since the last turn stay (second chance). */
  static DiskAdmission oneLane(QueueAdmission ours) {
    return new Changed(ours, 0) {
      @Override
      public Placement place(long hash, long bytes, boolean full) {
        return new Placement(Lane.MAIN, Reason.NEWCOMER);
      }
    };
  }

  /** Ours with a share of PROBATION that does not change: S3-FIFO, nearly. */
  static DiskAdmission fixedShare(QueueAdmission ours, double share) {
    return new Changed(ours, share);
  }

  private static class Changed implements DiskAdmission {
    private final QueueAdmission ours;
    private final double share;

    Changed(QueueAdmission ours, double share) {
      this.ours = ours;
      this.share = share;
    }

    @Override
    public Placement place(long hash, long bytes, boolean full) {
      return ours.place(hash, bytes, full);
    }

    @Override
    public boolean mayGrow(Lane lane, long hash, long bytes, boolean full) {
      return ours.mayGrow(lane, hash, bytes, full);
    }

    @Override
    public Lane victim(long probationBytes, long mainBytes, long capacityBytes) {
      return DiskPolicy.victim(probationBytes, mainBytes, share, capacityBytes);
    }

    @Override
    public Verdict reclaim(Lane lane, long hash, long bytes, int hits, boolean inMemory) {
      return ours.reclaim(lane, hash, bytes, hits, inMemory);
    }

    @Override
    public void kept(Lane lane, long hash, long bytes) {
      ours.kept(lane, hash, bytes);
    }

    @Override
    public void evicted(Lane lane, long hash, long bytes) {
      ours.evicted(lane, hash, bytes);
    }
  }
}
