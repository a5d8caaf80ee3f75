package io.loligo.server.jmx;

import java.util.Map;

/** Times of the file work of all directories. */
@Description("Times of the file work of all cache_dirs; the error is at most 1/32.")
public interface DiskTimesMXBean {
  @Description(
      "Times: write_queue is the wait of a response to be written; write and read are operations"
          + " on files; store is all the work until a response is stored, store_8k and store_16k"
          + " the same of those up to 8 KB and 16 KB; second_block is the write of the second block"
          + " of those of two.")
  @Units("microseconds")
  Map<String, StageTimes> getTimes();

  @Description("Reads from files in progress now.")
  @Units("operations")
  int getReading();

  @Description("Writes to files in progress now.")
  @Units("operations")
  int getWriting();
}
