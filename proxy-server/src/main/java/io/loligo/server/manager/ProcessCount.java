package io.loligo.server.manager;

/** The counters of the process whose increase the history keeps. Immutable. */
enum ProcessCount {
  CPU_MICROS("process_cpu_time_microseconds"),
  PAGE_FAULTS("process_page_faults"),
  LOOP_POLLS("loop_polls"),
  LOOP_EVENTS("loop_events");

  private final String series;

  ProcessCount(String series) {
    this.series = series;
  }

  /** The name of its series in the history. */
  String series() {
    return series;
  }
}
