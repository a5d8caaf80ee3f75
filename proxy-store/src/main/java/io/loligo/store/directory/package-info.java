/** The compact index of what is on disk, in memory off the Java object graph. */
package io.loligo.store.directory;
