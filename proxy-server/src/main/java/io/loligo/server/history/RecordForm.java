package io.loligo.server.history;

import java.util.Arrays;

/**
 * Writes intervals as records, and adds records to intervals. It knows the series of the records
 * and those of the intervals, which are others if the records come from a file. Confined to one
 * thread.
 */
final class RecordForm {
  private final int[] counterPlaces;
  private final int[] gaugePlaces;
  private final int[] timePlaces;
  private final long[] counters;
  private final long[] gaugeMaxima;
  private final long[] gaugeGaps;
  private final long[] buckets = new long[TimeBuckets.COUNT];

  /**
   * A form for records with the series {@code from}, and intervals with the series {@code to}:
   * those without a namesake are left out.
   */
  RecordForm(SeriesList from, SeriesList to) {
    counterPlaces = from.placesIn(to, Series.Kind.COUNTER);
    gaugePlaces = from.placesIn(to, Series.Kind.GAUGE);
    timePlaces = from.placesIn(to, Series.Kind.TIMES);
    counters = new long[counterPlaces.length];
    gaugeMaxima = new long[gaugePlaces.length];
    gaugeGaps = new long[gaugePlaces.length];
  }

  /** Replaces {@code record} by {@code interval}, whose series are those of the records. */
  void write(Interval interval, RecordBytes record) {
    record.clear();
    record.write(interval.samples());
    record.write(interval.coveredMillis());
    record.write(interval.counters);
    for (int i = 0; i < gaugeGaps.length; i++) {
      // small where the gauge is steady, which most are
      gaugeGaps[i] =
          Math.max(0, interval.gaugeMaxima[i] * interval.samples() - interval.gaugeSums[i]);
    }
    record.write(interval.gaugeMaxima);
    record.write(gaugeGaps);
    for (int i = 0; i < timePlaces.length; i++) {
      record.write(interval.buckets[i]);
      record.write(interval.timeSums[i]);
    }
  }

  /**
   * Adds {@code record} to {@code sum}, which stays as it was or has a part of it if this fails.
   *
   * @throws DamagedRecordException if it is none
   */
  void addTo(Interval sum, RecordBytes record) throws DamagedRecordException {
    long samples = record.read();
    sum.cover(samples, record.read());
    int used = record.read(counters);
    for (int i = 0; i < used; i++) {
      if (counterPlaces[i] >= 0) {
        sum.counters[counterPlaces[i]] += counters[i];
      }
    }
    Arrays.fill(gaugeGaps, 0);
    used = record.read(gaugeMaxima);
    record.read(gaugeGaps);
    for (int i = 0; i < used; i++) {
      int place = gaugePlaces[i];
      if (place >= 0) {
        sum.gaugeMaxima[place] = Math.max(sum.gaugeMaxima[place], gaugeMaxima[i]);
        sum.gaugeSums[place] += gaugeMaxima[i] * samples - gaugeGaps[i];
      }
    }
    for (int place : timePlaces) {
      used = record.read(buckets);
      long sumNanos = record.read();
      if (place >= 0) {
        long[] into = sum.buckets[place];
        for (int bucket = 0; bucket < used; bucket++) {
          into[bucket] += buckets[bucket];
        }
        sum.timeSums[place] += sumNanos;
      }
    }
    if (!record.isRead()) {
      throw new DamagedRecordException("a record is longer than its series");
    }
  }
}
