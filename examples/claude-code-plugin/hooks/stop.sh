#!/bin/sh
# Stop hook: reminds Claude, once in a session, to save what later sessions need.
#
# A SessionEnd hook could not: Claude Code discards its output. Stop runs at the end of every turn, so the hook is silent
# unless a session was long and has saved nothing. It never blocks twice: the transcript contains its reminder.
reminder='Nothing from this session is in the knowledge base yet'
# Entries of a transcript from which a session counts as long: about ten tool calls.
min_entries=40

input=$(tr -d '\n')

# has PATTERN: whether the input has a field. A quotation mark within a JSON string follows a backslash, so that text from
# the conversation cannot pass for a field.
has() { printf '%s' "$input" | grep -q "$1"; }
has '"stop_hook_active" *: *true' && exit 0
# The session waits for a background task.
has '"background_tasks" *: *\[ *{' && exit 0

transcript=$(printf '%s' "$input" | sed -n 's/.*"transcript_path" *: *"\([^"\\]*\)".*/\1/p')
[ -r "$transcript" ] && [ -f "$transcript" ] || exit 0
[ "$(wc -l <"$transcript")" -ge "$min_entries" ] || exit 0
grep -q -e "$reminder" -e '"name" *: *"mcp__[A-Za-z0-9_-]*__kb_\(addnote\|edit\|update_note\)"' "$transcript" && exit 0

cat <<EOF
{
  "hookSpecificOutput": {
    "hookEventName": "Stop",
    "additionalContext": "$reminder. kb_addnote (collection memory) saves decisions, corrections and preferences that later sessions need, one topic per note; kb_search first shows whether a note exists that kb_edit can correct. If there is nothing of that kind, no note and no further answer are needed."
  }
}
EOF
