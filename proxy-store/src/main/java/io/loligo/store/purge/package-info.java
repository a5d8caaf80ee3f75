/** What was purged without being looked for: by group, by pattern, or only made stale. */
package io.loligo.store.purge;
